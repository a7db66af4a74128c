package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * One ioctl request with a struct that is kept and filled again for each call, for requests that are made often. A call
 * allocates nothing and passes plain words, where {@link Fd#ioctl} checks and pins six segments.
 * <p>
 * Thread rule: one call at a time, guarded by the owner; {@link Fd#close} of the descriptor may come at any time. Errors
 * as of {@link Fd#ioctl}.
 */
public final class KeptIoctl {
    private final Fd fd;
    private final String step;
    private final long request;
    private final MemorySegment argument;
    private final long address;
    private final MemorySegment state = NativeCall.newState();

    /**
     * @param step name of the request for messages, for example {@code VFIO_IOMMU_MAP_DMA}
     * @param argumentBytes size of the struct
     */
    public KeptIoctl(Fd fd, String step, long request, long argumentBytes) {
        this.fd = fd;
        this.step = step;
        this.request = request;
        this.argument = Arena.ofAuto().allocate(argumentBytes, 8);
        this.address = argument.address();
    }

    /** The struct, zero at first and then as the last call left it. */
    public MemorySegment argument() {
        return argument;
    }

    /** Makes the call, again while it is interrupted; its result, 0 or more. */
    public int call() {
        int number = fd.enter();
        try {
            int result;
            do {
                result = (int) NativeCall.raw(Fn.IOCTL, state, number, request, address);
            } while (result < 0 && NativeCall.errno(state) == Errno.EINTR);
            if (result < 0) {
                throw new NativeException(step, fd.name(), NativeCall.errno(state));
            }
            return result;
        } finally {
            fd.exit();
            Reference.reachabilityFence(argument);
        }
    }
}
