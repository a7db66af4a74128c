package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A connected UNIX socket that carries bytes and file descriptors (SCM_RIGHTS). One thread may send while another
 * receives. {@link #close} shuts the connection down for both sides and wakes a thread that waits in it. A wait
 * occupies the kernel thread (a carrier, on virtual threads).
 */
public final class UnixSocket implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final int SHUT_RDWR = 2;
    private static final int MSG_PEEK = 2;
    private static final int MSG_CTRUNC = 8;
    private static final int MSG_TRUNC = 0x20;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final int POLLRDHUP = 0x2000;
    private static final int MSGHDR_BYTES = 56;
    private static final int PATH_BYTES = 107;

    /** Type of a socket: what a send means to the receiver. */
    public enum Type {
        /** A stream of bytes, as vfio-user wants. Descriptors arrive with the first byte sent along with them. */
        STREAM(1),
        /** One send is one receive. */
        MESSAGES(5);

        private final int code;

        Type(int code) {
            this.code = code;
        }
    }

    /**
     * The process at the other end when it connected.
     *
     * @param pid process id
     * @param uid effective user id
     */
    public record Peer(int pid, int uid) {}

    /**
     * Bytes and descriptors that came in.
     *
     * @param bytes bytes written to the start of the buffer; 0 if the peer has closed, -1 after the timeout
     * @param descriptors descriptors, owned by the receiver
     */
    public record Received(int bytes, List<Fd> descriptors) {}

    private final Fd fd;

    UnixSocket(Fd fd) {
        this.fd = fd;
    }

    /** Connects to a listening socket. */
    public static UnixSocket connect(Path path, Type type) {
        Fd fd = socket(type, path.toString());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = address(arena, path);
            fd.checked("connect", Fn.CONNECT, address, NativeCall.word(address.byteSize()));
            return new UnixSocket(fd);
        } catch (RuntimeException e) {
            fd.close();
            throw e;
        }
    }

    /** Whether no process listens at a socket. Does not wait for a listener that is busy. */
    static boolean isDeserted(Path path, Type type) {
        int number = (int) NativeCall.words(Fn.SOCKET, AF_UNIX, type.code | Linux.O_CLOEXEC | Linux.O_NONBLOCK, 0);
        if (number < 0) {
            throw NativeException.last("socket", path.toString());
        }
        try (Fd fd = Fd.adopt(number, path.toString()); Arena arena = Arena.ofConfined()) {
            MemorySegment address = address(arena, path);
            fd.checked("connect", Fn.CONNECT, address, NativeCall.word(address.byteSize()));
            return false;
        } catch (NativeException e) {
            return e.errno() == Errno.ECONNREFUSED;
        }
    }

    /** Two ends connected to each other. */
    public static List<UnixSocket> pair(Type type) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ends = arena.allocate(8, 4);
            int result = (int) NativeCall.words(Fn.SOCKETPAIR, NativeCall.word(AF_UNIX),
                    NativeCall.word(type.code | Linux.O_CLOEXEC), NativeCall.word(0), ends);
            if (result < 0) {
                throw NativeException.last("socketpair", type.name());
            }
            return List.of(new UnixSocket(Fd.adopt(ends.get(ValueLayout.JAVA_INT, 0), "socket pair")),
                    new UnixSocket(Fd.adopt(ends.get(ValueLayout.JAVA_INT, 4), "socket pair")));
        }
    }

    /** Sends all of {@code data} (at least one byte). A peer that is gone is EPIPE or ECONNRESET. */
    public void send(MemorySegment data) {
        send(data, List.of());
    }

    /** Sends all of {@code data} (at least one byte) and duplicates of {@code descriptors} with its first byte. */
    public void send(MemorySegment data, List<Fd> descriptors) {
        send(data, descriptors, 0);
    }

    /**
     * Sends, and never waits for the peer to read: few bytes, or one message.
     *
     * @return false if the peer has left so much unread that there is no room
     */
    public boolean offer(MemorySegment data, List<Fd> descriptors) {
        return send(data, descriptors, MSG_DONTWAIT);
    }

    private boolean send(MemorySegment data, List<Fd> descriptors, int flags) {
        if (data.byteSize() == 0 || descriptors.size() > ControlMessages.MAX_DESCRIPTORS) {
            throw new IllegalArgumentException(
                    "send of " + data.byteSize() + " bytes with " + descriptors.size() + " descriptors");
        }
        List<Fd> entered = new ArrayList<>(descriptors.size());
        try (Arena arena = Arena.ofConfined()) {
            int[] numbers = new int[descriptors.size()];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = descriptors.get(i).enter();
                entered.add(descriptors.get(i));
            }
            long sent = sendOnce(arena, data, numbers, flags);
            while (sent < data.byteSize() && flags == 0) {
                sent += sendOnce(arena, data.asSlice(sent), new int[0], flags);
            }
            return sent == data.byteSize();
        } finally {
            entered.forEach(Fd::exit);
        }
    }

    /**
     * Receives what is there, at most {@code buffer.byteSize()} bytes.
     *
     * @param maxDescriptors more than that are closed and an {@link IllegalStateException}
     * @param timeoutMillis how long the peer may be silent while this process is there ({@link Patience}); negative
     *            waits forever
     */
    public Received receive(MemorySegment buffer, int maxDescriptors, long timeoutMillis) {
        if (!awaits(timeoutMillis)) {
            return new Received(-1, List.of());
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment control = arena.allocate(ControlMessages.MAX_BYTES, 8);
            MemorySegment header = header(arena, buffer, control);
            long bytes = message("recvmsg", Fn.RECVMSG, header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
            if (bytes < 0) {
                return new Received(-1, List.of());
            }
            List<Fd> descriptors = new ArrayList<>();
            for (int number : ControlMessages.read(control, header.get(ValueLayout.JAVA_LONG, 40))) {
                descriptors.add(Fd.adopt(number, "descriptor from " + fd.name()));
            }
            int flags = header.get(ValueLayout.JAVA_INT, 48);
            if ((flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || descriptors.size() > maxDescriptors) {
                ControlMessages.closeAll(descriptors);
                throw new IllegalStateException(fd.name() + ": the peer sent more than " + buffer.byteSize()
                        + " bytes or " + maxDescriptors + " descriptors in one message");
            }
            return new Received((int) bytes, List.copyOf(descriptors));
        }
    }

    /** Waits for something to receive. */
    private boolean awaits(long timeoutMillis) {
        if (timeoutMillis <= 0) {
            return Poll.await(fd, Linux.POLLIN, timeoutMillis) != 0;
        }
        Patience patience = new Patience(TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
        while (Poll.await(fd, Linux.POLLIN, Math.max(1, TimeUnit.NANOSECONDS.toMillis(patience.left()))) == 0) {
            if (patience.isOver()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Looks at what waits to be received, without taking it and without waiting.
     *
     * @return bytes written to the start of the buffer; 0 if the peer has closed, -1 if nothing is there
     */
    public int peek(MemorySegment buffer) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) message("recvmsg", Fn.RECVMSG, header(arena, buffer, MemorySegment.NULL),
                    MSG_PEEK | MSG_DONTWAIT);
        }
    }

    /**
     * Waits until either side has closed the connection; bytes that wait to be received do not matter.
     *
     * @param timeoutMillis negative waits forever
     * @return whether it is closed
     */
    public boolean awaitHangUp(long timeoutMillis) {
        return Poll.await(fd, POLLRDHUP, timeoutMillis) != 0;
    }

    /** Process and user at the other end, as the kernel knows them. */
    public Peer peer() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ucred = arena.allocate(12, 4);
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, 12);
            int number = fd.enter();
            try {
                int result = (int) NativeCall.words(Fn.GETSOCKOPT, NativeCall.word(number),
                        NativeCall.word(SOL_SOCKET), NativeCall.word(SO_PEERCRED), ucred, size);
                if (result < 0) {
                    throw NativeException.last("getsockopt SO_PEERCRED", fd.name());
                }
            } finally {
                fd.exit();
            }
            return new Peer(ucred.get(ValueLayout.JAVA_INT, 0), ucred.get(ValueLayout.JAVA_INT, 4));
        }
    }

    /** The descriptor, to wait for in an {@link Epoll}. Owned by this object. */
    public Fd fd() {
        return fd;
    }

    @Override
    public void close() {
        shutdown(fd);
    }

    /** Shuts down, which wakes waiters, and closes. */
    static void shutdown(Fd socket) {
        if (socket.isOpen()) {
            try {
                NativeCall.words(Fn.SHUTDOWN, socket.enter(), SHUT_RDWR, 0);
                socket.exit();
            } catch (IllegalStateException closedByAnother) {
                return;
            }
            socket.close();
        }
    }

    static Fd socket(Type type, String name) {
        int number = (int) NativeCall.words(Fn.SOCKET, AF_UNIX, type.code | Linux.O_CLOEXEC, 0);
        if (number < 0) {
            throw NativeException.last("socket", name);
        }
        return Fd.adopt(number, name);
    }

    static MemorySegment address(Arena arena, Path path) {
        byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
        if (name.length > PATH_BYTES) {
            throw new IllegalArgumentException("the kernel takes socket paths of at most " + PATH_BYTES
                    + " bytes, this has " + name.length + ": " + path + "; choose a shorter folder");
        }
        MemorySegment address = arena.allocate(PATH_BYTES + 3, 2);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
        MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, 2, name.length);
        return address;
    }

    private long sendOnce(Arena arena, MemorySegment data, int[] numbers, int flags) {
        MemorySegment control = MemorySegment.NULL;
        if (numbers.length > 0) {
            control = arena.allocate(ControlMessages.space(numbers.length), 8);
            ControlMessages.write(control, numbers);
        }
        return message("sendmsg", Fn.SENDMSG, header(arena, data, control), MSG_NOSIGNAL | flags);
    }

    /** Returns -1 if it would block. */
    private long message(String step, Fn function, MemorySegment header, int flags) {
        int number = fd.enter();
        try {
            long count;
            do {
                count = NativeCall.transfer(function, number, header, flags);
            } while (count < 0 && NativeCall.errno() == Errno.EINTR);
            if (count < 0 && NativeCall.errno() != Errno.EAGAIN) {
                throw NativeException.last(step, fd.name());
            }
            return count;
        } finally {
            fd.exit();
        }
    }

    /** struct msghdr: name, namelen, iov at 16, iovlen at 24, control at 32, controllen at 40, flags at 48. */
    private static MemorySegment header(Arena arena, MemorySegment data, MemorySegment control) {
        MemorySegment iov = arena.allocate(16, 8);
        iov.set(ValueLayout.ADDRESS, 0, data);
        iov.set(ValueLayout.JAVA_LONG, 8, data.byteSize());
        MemorySegment header = arena.allocate(MSGHDR_BYTES, 8);
        header.set(ValueLayout.ADDRESS, 16, iov);
        header.set(ValueLayout.JAVA_LONG, 24, 1);
        if (control.byteSize() > 0) {
            header.set(ValueLayout.ADDRESS, 32, control);
            header.set(ValueLayout.JAVA_LONG, 40, control.byteSize());
        }
        return header;
    }
}
