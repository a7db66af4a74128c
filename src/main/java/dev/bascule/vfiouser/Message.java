package dev.bascule.vfiouser;

import dev.bascule.ffi.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One received message: header fields, body, descriptors. Owned by the thread that took it; closing it closes the
 * descriptors that were not taken out.
 */
final class Message implements AutoCloseable {
    private static final int FIRST_BYTES = 4096;

    int id;
    int command;
    int flags;
    int error;
    int bodyBytes;
    /** Why the connection refuses it before looking at the body; null for a well-formed message. */
    @Nullable
    String malformed;
    /** Whether what follows in the stream cannot be trusted. */
    boolean fatal;

    private final List<Fd> descriptors = new ArrayList<>();
    private MemorySegment buffer = Arena.ofAuto().allocate(FIRST_BYTES, 8);

    void clear() {
        id = 0;
        command = 0;
        flags = 0;
        error = 0;
        bodyBytes = 0;
        malformed = null;
        fatal = false;
    }

    boolean isReply() {
        return (flags & Protocol.TYPE_MASK) == Protocol.TYPE_REPLY;
    }

    boolean wantsReply() {
        return (flags & Protocol.NO_REPLY) == 0;
    }

    boolean failed() {
        return (flags & Protocol.FAILED) != 0;
    }

    /** Memory for the body that is about to come in. */
    MemorySegment room(int bytes) {
        if (buffer.byteSize() < bytes) {
            buffer = Arena.ofAuto().allocate(bytes, 8);
        }
        bodyBytes = bytes;
        return buffer.asSlice(0, bytes);
    }

    /** The body; an access outside of it is an exception, so callers compare with {@link #bodyBytes} first. */
    MemorySegment body() {
        return buffer.asSlice(0, bodyBytes);
    }

    int capacityBytes() {
        return (int) buffer.byteSize();
    }

    int get32(int offset) {
        return Fields.get32(body(), offset);
    }

    long get64(int offset) {
        return Fields.get64(body(), offset);
    }

    List<Fd> descriptors() {
        return descriptors;
    }

    /** Takes all descriptors out: they are the caller's now. */
    List<Fd> takeDescriptors() {
        List<Fd> taken = List.copyOf(descriptors);
        descriptors.clear();
        return taken;
    }

    /** The body is exactly that long. */
    void requireBody(int bytes) throws Refusal {
        if (bodyBytes != bytes) {
            throw Refusal.invalid("a body of " + bodyBytes + " bytes instead of " + bytes);
        }
    }

    /** The body is at least that long. */
    void requireAtLeast(int bytes) throws Refusal {
        if (bodyBytes < bytes) {
            throw Refusal.invalid("a body of " + bodyBytes + " bytes; it has at least " + bytes);
        }
    }

    void requireNoDescriptors() throws Refusal {
        if (!descriptors.isEmpty()) {
            throw Refusal.invalid(descriptors.size() + " descriptors where none belong");
        }
    }

    @Override
    public void close() {
        descriptors.forEach(Fd::close);
        descriptors.clear();
    }

    @Override
    public String toString() {
        return Protocol.name(command) + (isReply() ? " reply " : " ") + id + ", " + bodyBytes + " bytes";
    }
}
