package dev.bascule.vfiouser;

import dev.bascule.ffi.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Reply that a server is about to send: a body, and descriptors, which stay their owner's. Reused from reply to reply.
 */
final class Answer {
    private MemorySegment buffer = Arena.ofAuto().allocate(4096, 8);
    private int bytes;
    private List<Fd> descriptors = List.of();

    void clear() {
        bytes = 0;
        descriptors = List.of();
    }

    /** A body of that many zero bytes, to be filled in. */
    MemorySegment body(int lengthBytes) {
        if (buffer.byteSize() < lengthBytes) {
            buffer = Arena.ofAuto().allocate(lengthBytes, 8);
        }
        bytes = lengthBytes;
        return buffer.asSlice(0, lengthBytes).fill((byte) 0);
    }

    /** The body that was filled in. */
    MemorySegment body() {
        return buffer.asSlice(0, bytes);
    }

    void attach(Fd descriptor) {
        descriptors = List.of(descriptor);
    }

    List<Fd> descriptors() {
        return descriptors;
    }
}
