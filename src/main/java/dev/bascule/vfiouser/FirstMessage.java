package dev.bascule.vfiouser;

import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The first message of a client, waited for as a whole and not taken: who sends half of one is no client. */
final class FirstMessage {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** A first message beyond that is taken for whole, and read by who serves it. */
    private static final int LONGEST_BYTES = 1 << 16;

    private FirstMessage() {}

    /** Waits until it is there, without an end: the door closes a connection that takes too long. False if it is closed. */
    static boolean await(UnixSocket socket) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ahead = arena.allocate(LONGEST_BYTES, 8);
            while (true) {
                int bytes = socket.peek(ahead);
                if (bytes == 0) {
                    return false;
                }
                if (bytes >= Protocol.HEADER_BYTES && bytes >= Math.min(LONGEST_BYTES,
                        Integer.toUnsignedLong(Fields.get32(ahead, Protocol.SIZE)))) {
                    return true;
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        } catch (NativeException | IllegalStateException e) { // reset by the peer, or closed by the door
            return false;
        }
    }
}
