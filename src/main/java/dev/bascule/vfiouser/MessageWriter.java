package dev.bascule.vfiouser;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Puts messages on the stream of a socket, each whole and with its descriptors. Any thread. */
final class MessageWriter {
    private final UnixSocket socket;
    private MemorySegment out = Arena.ofAuto().allocate(1 << 16, 8);

    MessageWriter(UnixSocket socket) {
        this.socket = socket;
    }

    /** Sends a message whose body is {@code head} and then {@code data}; the descriptors stay the caller's. */
    synchronized void send(int id, int command, int flags, int error, MemorySegment head, MemorySegment data,
            List<Fd> descriptors) throws Disconnected {
        long size = Protocol.HEADER_BYTES + head.byteSize() + data.byteSize();
        if (out.byteSize() < size) {
            out = Arena.ofAuto().allocate(size, 8);
        }
        Fields.put16(out, Protocol.ID, id);
        Fields.put16(out, Protocol.COMMAND, command);
        Fields.put32(out, Protocol.SIZE, (int) size);
        Fields.put32(out, Protocol.FLAGS, flags);
        Fields.put32(out, Protocol.ERROR, error);
        MemorySegment.copy(head, 0, out, Protocol.HEADER_BYTES, head.byteSize());
        MemorySegment.copy(data, 0, out, Protocol.HEADER_BYTES + head.byteSize(), data.byteSize());
        try {
            socket.send(out.asSlice(0, size), descriptors);
        } catch (NativeException | IllegalStateException e) {
            throw new Disconnected("the peer closed the connection (" + e.getMessage() + ")");
        }
    }
}
