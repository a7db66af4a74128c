package dev.bascule.vfiouser;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.Patience;
import dev.bascule.ffi.UnixSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the stream of a socket into messages. Reads exactly one header and then exactly its body, so that descriptors
 * come in with the message they were sent with. Nothing a peer sends makes it read or keep more than
 * {@link Protocol#MAX_MESSAGE_BYTES}. One thread at a time.
 */
final class MessageReader {
    private static final int MAX_DESCRIPTORS = 253;

    private final UnixSocket socket;
    private final int maxDescriptors;
    private final MemorySegment header = Arena.ofAuto().allocate(Protocol.HEADER_BYTES, 8);
    private long came;

    MessageReader(UnixSocket socket, int maxDescriptors) {
        this.socket = socket;
        this.maxDescriptors = maxDescriptors;
    }

    /**
     * Reads the next message.
     *
     * @param patience how long to wait for it
     * @return whether one came; false when none has begun in time
     * @throws Disconnected when the peer has closed the connection, or is silent for too long within a message
     */
    boolean read(Message message, Patience patience) throws Disconnected {
        message.clear();
        came = 0;
        if (!fill(header, message, patience, true)) {
            return false;
        }
        message.id = Fields.get16(header, Protocol.ID);
        message.command = Fields.get16(header, Protocol.COMMAND);
        message.flags = Fields.get32(header, Protocol.FLAGS);
        message.error = Fields.get32(header, Protocol.ERROR);
        long size = Integer.toUnsignedLong(Fields.get32(header, Protocol.SIZE));
        message.malformed = objection(message, size);
        if (size > Protocol.MAX_MESSAGE_BYTES) {
            message.fatal = true; // nobody knows where the next one starts
        } else if (size > Protocol.HEADER_BYTES) {
            fill(message.room((int) size - Protocol.HEADER_BYTES), message, patience, false);
        }
        if (message.malformed == null && came > maxDescriptors) {
            message.malformed = came + " descriptors; " + maxDescriptors + " were agreed";
        }
        return true;
    }

    private static @Nullable String objection(Message message, long size) {
        int type = message.flags & Protocol.TYPE_MASK;
        int known = type == Protocol.TYPE_REPLY ? Protocol.FAILED : Protocol.NO_REPLY;
        if (size < Protocol.HEADER_BYTES || size > Protocol.MAX_MESSAGE_BYTES) {
            return "a size of " + size + " bytes; it can be " + Protocol.HEADER_BYTES + " to "
                    + Protocol.MAX_MESSAGE_BYTES;
        }
        if (type != Protocol.TYPE_COMMAND && type != Protocol.TYPE_REPLY
                || (message.flags & ~(Protocol.TYPE_MASK | known | Protocol.NO_REPLY)) != 0) {
            return "flags 0x" + Integer.toHexString(message.flags);
        }
        return null;
    }

    private boolean fill(MemorySegment into, Message message, Patience patience, boolean first) throws Disconnected {
        long have = 0;
        while (have < into.byteSize()) {
            UnixSocket.Received received = receive(into.asSlice(have), patience);
            keep(message, received);
            boolean between = first && have == 0;
            if (received.bytes() > 0) {
                have += received.bytes();
            } else if (received.bytes() == 0) {
                throw new Disconnected(
                        "the peer closed the connection" + (between ? "" : " in the middle of a message"));
            } else if (patience.isOver()) {
                if (between) {
                    return false;
                }
                throw new Disconnected("the peer stopped in the middle of a message");
            }
        }
        return true;
    }

    /** Descriptors may come with every byte; once they are too many none is kept. */
    private void keep(Message message, UnixSocket.Received received) {
        came += received.descriptors().size();
        message.descriptors().addAll(received.descriptors());
        if (came > maxDescriptors) {
            message.close();
        }
    }

    private UnixSocket.Received receive(MemorySegment into, Patience patience) throws Disconnected {
        long left = patience.left();
        long waitMillis = left == 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(left + 999_999);
        try {
            return socket.receive(into, MAX_DESCRIPTORS, waitMillis);
        } catch (NativeException e) {
            throw new Disconnected(e.errno() == Errno.ECONNRESET
                    ? "the peer closed the connection"
                    : String.valueOf(e.getMessage()));
        } catch (IllegalStateException e) { // closed by another thread, or descriptors were cut off
            throw new Disconnected(String.valueOf(e.getMessage()));
        }
    }
}
