package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.UnixSocket;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A client that says whatever a test wants, byte by byte; it shares no code with the one under test. */
final class RawClient implements AutoCloseable {
    /** A reply; {@code errno} is 0 for a good one. */
    record Reply(int id, int command, int errno, byte[] body, List<Fd> descriptors) {
        int get32(int at) {
            return ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).getInt(at);
        }

        long get64(int at) {
            return ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).getLong(at);
        }
    }

    private static final int PATIENCE_MILLIS = 20_000;

    private final UnixSocket socket;
    private final Arena arena = Arena.ofAuto();
    private int id = 100;

    RawClient(Path path) {
        socket = UnixSocket.connect(path, UnixSocket.Type.STREAM);
    }

    /** Connects and agrees on the version as QEMU does. */
    static RawClient agreed(Path path) {
        RawClient client = new RawClient(path);
        Reply reply = client.version(0, 0, "{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":1048576,"
                + "\"pgsizes\":4096,\"max_dma_maps\":65535,\"migration\":{\"pgsize\":4096,\"max_bitmap_size\":268435456},"
                + "\"write_multiple\":true}}");
        assertThat(reply.errno()).isZero();
        return client;
    }

    Reply version(int major, int minor, String json) {
        byte[] text = json.getBytes(StandardCharsets.UTF_8);
        return call(1, body().putShort((short) major).putShort((short) minor).put(text).put((byte) 0));
    }

    static ByteBuffer body() {
        return ByteBuffer.allocate(1 << 21).order(ByteOrder.LITTLE_ENDIAN);
    }

    static byte[] message(int id, int command, int size, int flags, byte[] body) {
        return ByteBuffer.allocate(16 + body.length).order(ByteOrder.LITTLE_ENDIAN).putShort((short) id)
                .putShort((short) command).putInt(size).putInt(flags).putInt(0).put(body).array();
    }

    /** Sends a well-framed command and reads its reply. */
    Reply call(int command, ByteBuffer body, Fd... descriptors) {
        byte[] bytes = java.util.Arrays.copyOf(body.array(), body.position());
        send(message(++id, command, 16 + bytes.length, 0, bytes), descriptors);
        Reply reply = receive();
        assertThat(reply.id()).as("id of the reply").isEqualTo(id);
        assertThat(reply.command()).as("command of the reply").isEqualTo(command);
        return reply;
    }

    /** The errno's name of a call's reply; empty for success. */
    String outcome(int command, ByteBuffer body, Fd... descriptors) {
        Reply reply = call(command, body, descriptors);
        reply.descriptors().forEach(Fd::close);
        return reply.errno() == 0 ? "" : Errno.name(reply.errno());
    }

    /** Bytes sent that the server has not received. */
    int unread() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(ValueLayout.JAVA_INT);
            socket.fd().ioctl("SIOCOUTQ", 0x5411, bytes);
            return bytes.get(ValueLayout.JAVA_INT, 0);
        }
    }

    void send(byte[] bytes, Fd... descriptors) {
        try (Arena one = Arena.ofConfined()) {
            socket.send(one.allocateFrom(ValueLayout.JAVA_BYTE, bytes), List.of(descriptors));
        }
    }

    /** The next message from the server. */
    Reply receive() {
        ByteBuffer header = ByteBuffer.wrap(exactly(16)).order(ByteOrder.LITTLE_ENDIAN);
        int size = header.getInt(4);
        int flags = header.getInt(8);
        assertThat(size).isGreaterThanOrEqualTo(16);
        byte[] body = size == 16 ? new byte[0] : exactly(size - 16);
        int errno = (flags & 0x20) == 0 ? 0 : header.getInt(12);
        if ((flags & 0x20) != 0) {
            assertThat(body).as("an error reply has no body").isEmpty();
            assertThat(errno).isPositive();
        }
        List<Fd> descriptors = List.copyOf(pending);
        pending.clear();
        return new Reply(header.getShort(0) & 0xffff, header.getShort(2) & 0xffff, errno, body, descriptors);
    }

    private final java.util.ArrayList<Fd> pending = new java.util.ArrayList<>();

    private byte[] exactly(int bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        MemorySegment buffer = arena.allocate(bytes, 8);
        while (out.size() < bytes) {
            UnixSocket.Received received = socket.receive(buffer.asSlice(out.size()), 64, PATIENCE_MILLIS);
            assertThat(received.bytes()).as("bytes of a message").isPositive();
            pending.addAll(received.descriptors());
            byte[] part = buffer.asSlice(out.size(), received.bytes()).toArray(ValueLayout.JAVA_BYTE);
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    /** Whether the server has closed the connection, waiting for it; what it sent before is dropped. */
    boolean isClosedByServer() {
        MemorySegment buffer = arena.allocate(4096, 8);
        try {
            UnixSocket.Received received;
            do {
                received = socket.receive(buffer, 64, PATIENCE_MILLIS);
                received.descriptors().forEach(Fd::close);
            } while (received.bytes() > 0);
            return received.bytes() == 0;
        } catch (dev.bascule.ffi.NativeException e) {
            return e.errno() == Errno.ECONNRESET;
        }
    }

    /** Whether the server still understands this client. */
    boolean isServed() {
        return outcome(4, body().putInt(16).putInt(0).putLong(0)).isEmpty();
    }

    @Override
    public void close() {
        socket.close();
    }
}
