package dev.bascule.vfiouser;

import java.util.concurrent.TimeUnit;

/**
 * How a client talks to a server.
 *
 * @param timeoutNanos longest wait for a reply, by the wall clock; a server that is silent for longer counts as gone, unless
 *            it offers a clock and that has moved meanwhile. 0: no limit
 * @param postedWrites whether register writes expect no reply, as on PCI Express; the next read waits for them
 * @param sharedMemory whether memory that has a descriptor is shared by it and BARs are mapped where the server offers
 *         that; otherwise everything is copied by message
 */
public record VfioUserOptions(long timeoutNanos, boolean postedWrites, boolean sharedMemory) {
    /** Five seconds, posted writes, shared memory. */
    public static final VfioUserOptions DEFAULT = new VfioUserOptions(TimeUnit.SECONDS.toNanos(5), true, true);

    /** Copy of these options with another time-out. */
    public VfioUserOptions withTimeoutNanos(long nanos) {
        return new VfioUserOptions(nanos, postedWrites, sharedMemory);
    }

    /** Copy of these options with writes that are answered, or not. */
    public VfioUserOptions withPostedWrites(boolean posted) {
        return new VfioUserOptions(timeoutNanos, posted, sharedMemory);
    }

    /** Copy of these options with memory by descriptor, or by message only. */
    public VfioUserOptions withSharedMemory(boolean shared) {
        return new VfioUserOptions(timeoutNanos, postedWrites, shared);
    }
}
