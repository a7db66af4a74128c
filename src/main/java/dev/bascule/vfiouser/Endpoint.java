package dev.bascule.vfiouser;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Patience;
import dev.bascule.ffi.UnixSocket;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection: commands and replies in both directions at the same time. There is no thread of its own: a
 * thread that waits for a reply or a command reads the socket unless another one does, and passes messages of others to
 * the threads that wait for them. So a reply takes no detour, and a thread that waits for a reply in the middle of a
 * command (a device's DMA during a register write) cannot lock out the others.
 * <p>
 * Thread rule: any thread. A wait cannot be interrupted; {@link #close} ends it.
 */
final class Endpoint implements AutoCloseable {
    /** Bytes that commands which wait their turn may occupy before the peer is given up. */
    private static final long MAX_QUEUED_BYTES = 16 << 20;
    private static final int MAX_QUEUED_DESCRIPTORS = 64;
    private static final String SILENCE = "no answer for ";

    /** Answers commands on the thread that happens to read them. */
    @FunctionalInterface
    interface Handler {
        void handle(Endpoint endpoint, Message command) throws Disconnected;
    }

    private final UnixSocket socket;
    private final MessageReader reader;
    private final MessageWriter writer;
    private final @Nullable Handler handler;
    private final Object turn = new Object();
    private final Deque<Message> commands = new ArrayDeque<>();
    private final MessagePool pool = new MessagePool();
    private final PendingCalls calls = new PendingCalls();
    private long queuedBytes;
    private int queuedDescriptors;
    private boolean reading;
    private volatile boolean silent;
    private volatile LongSupplier life = () -> 0;
    private volatile @Nullable String end;

    /**
     * @param maxDescriptors most descriptors this side takes in one message
     * @param handler answers commands; null to queue them for {@link #take}
     */
    Endpoint(UnixSocket socket, int maxDescriptors, @Nullable Handler handler) {
        this.socket = socket;
        this.reader = new MessageReader(socket, maxDescriptors);
        this.writer = new MessageWriter(socket);
        this.handler = handler;
    }

    UnixSocket socket() {
        return socket;
    }

    /** Why the connection ended; null while it stands. */
    @Nullable
    String end() {
        return end;
    }

    /** Whether it ended because the peer left a command unanswered. */
    boolean isSilent() {
        return silent;
    }

    /** From now on waits for answers go on while this figure changes. */
    void watch(LongSupplier sign) {
        life = sign;
    }

    /** Waits for the next command. With a handler, commands go there and this returns only at the end. */
    Message take() throws Disconnected {
        return take(0);
    }

    /** Reads from a peer that has begun to speak, and has so long for it, ns; 0: as long as it likes. */
    Message take(long limitNanos) throws Disconnected {
        Patience patience = new Patience(limitNanos);
        while (true) {
            Message queued = queuedOrTurn();
            if (queued != null) {
                return queued;
            }
            Message command = readOne(patience);
            if (command == null && patience.isOver()) {
                throw new Disconnected("the peer did not speak in time");
            }
            if (command != null && handler == null) {
                return command;
            } else if (command != null) {
                serve(command);
            }
        }
    }

    /** A command that waited, or null when it is the caller's turn to read. */
    private @Nullable Message queuedOrTurn() throws Disconnected {
        boolean interrupted = false;
        try {
            synchronized (turn) {
                while (commands.isEmpty() && reading && end == null) {
                    interrupted |= await(0);
                }
                Message queued = commands.poll();
                if (queued != null) {
                    queuedBytes -= queued.bodyBytes;
                    queuedDescriptors -= queued.descriptors().size();
                    return queued;
                }
                ensureStanding();
                reading = true;
                return null;
            }
        } finally {
            restore(interrupted);
        }
    }

    /**
     * Sends a command and waits for its reply, which the caller closes with {@link #recycle}. Failed replies are returned
     * as well.
     *
     * @param timeoutNanos longest wait, 0 for no limit
     * @throws Disconnected also when the time is over; {@code patient} then says whether the connection stays
     */
    Message call(int command, MemorySegment head, MemorySegment data, List<Fd> descriptors, long timeoutNanos,
            boolean patient) throws Disconnected {
        PendingCalls.Call call;
        synchronized (turn) {
            ensureStanding();
            call = calls.add();
        }
        send(call.id, command, Protocol.TYPE_COMMAND, 0, head, data, descriptors);
        Patience patience = new Patience(timeoutNanos, System::nanoTime, life);
        while (true) {
            Message reply = awaitTurn(call, patience, patient);
            if (reply != null) {
                return reply;
            }
            Message other = readOne(patience);
            if (other != null && handler != null) {
                serve(other);
            } else if (other != null) {
                enqueue(other);
            }
        }
    }

    /** The reply, or null when it is the caller's turn to read. */
    private @Nullable Message awaitTurn(PendingCalls.Call call, Patience patience, boolean patient)
            throws Disconnected {
        boolean interrupted = false;
        try {
            synchronized (turn) {
                while (call.reply == null && reading && end == null && !patience.isOver()) {
                    interrupted |= await(patience.left());
                }
                if (call.reply != null) {
                    return call.reply;
                }
                ensureStanding();
                if (patience.isOver()) {
                    call.abandoned = true;
                    String reason = SILENCE + patience;
                    if (!patient) {
                        silent = true;
                        finish(reason);
                    }
                    throw new Disconnected(reason);
                }
                reading = true;
                return null;
            }
        } finally {
            restore(interrupted);
        }
    }

    /** Sends a command that wants no reply. */
    void post(int command, MemorySegment head, MemorySegment data) throws Disconnected {
        int id;
        synchronized (turn) {
            ensureStanding();
            id = calls.nextId();
        }
        send(id, command, Protocol.NO_REPLY, 0, head, data, List.of());
    }

    /** Answers a command, unless it wants no answer. */
    void reply(Message to, MemorySegment head, MemorySegment data, List<Fd> descriptors) throws Disconnected {
        if (to.wantsReply()) {
            send(to.id, to.command, Protocol.TYPE_REPLY, 0, head, data, descriptors);
        }
    }

    /** Answers a command with an error, unless it wants no answer. */
    void refuse(Message to, int errno) throws Disconnected {
        if (to.wantsReply()) {
            send(to.id, to.command, Protocol.TYPE_REPLY | Protocol.FAILED, errno, MemorySegment.NULL,
                    MemorySegment.NULL, List.of());
        }
    }

    /** Gives a message back. */
    void recycle(Message message) {
        pool.give(message);
    }

    private void send(int id, int command, int flags, int error, MemorySegment head, MemorySegment data,
            List<Fd> descriptors) throws Disconnected {
        try {
            writer.send(id, command, flags, error, head, data, descriptors);
        } catch (Disconnected e) {
            finish(e.reason());
            throw e;
        }
    }

    /** Reads one message; the caller holds the turn. A reply goes to its caller; null is returned then. */
    private @Nullable Message readOne(Patience patience) throws Disconnected {
        Message message = pool.take();
        try {
            if (!reader.read(message, patience)) {
                synchronized (turn) {
                    reading = false;
                    turn.notifyAll();
                }
                recycle(message);
                return null;
            }
        } catch (Disconnected e) {
            message.close();
            finish(e.reason());
            throw e;
        } catch (RuntimeException | Error e) {
            message.close();
            finish(String.valueOf(e.getMessage()));
            throw e;
        }
        synchronized (turn) {
            reading = false;
            turn.notifyAll();
            if (message.isReply() && message.malformed == null && calls.deliver(message)) {
                return null;
            }
        }
        return message;
    }

    private void enqueue(Message command) throws Disconnected {
        synchronized (turn) {
            queuedBytes += command.bodyBytes;
            queuedDescriptors += command.descriptors().size();
            commands.add(command);
            if (queuedBytes > MAX_QUEUED_BYTES || queuedDescriptors > MAX_QUEUED_DESCRIPTORS
                    || commands.size() > 1 << 16) {
                finish("the peer sends commands and does not answer ours");
            }
            turn.notifyAll();
        }
        ensureStanding();
    }

    private void serve(Message command) throws Disconnected {
        if (handler != null) {
            try {
                handler.handle(this, command);
            } finally {
                recycle(command);
            }
        }
    }

    private void finish(String reason) {
        synchronized (turn) {
            if (end == null) {
                end = reason;
            }
            reading = false;
            turn.notifyAll();
        }
    }

    private void ensureStanding() throws Disconnected {
        String reason = end;
        if (reason != null) {
            throw new Disconnected(reason);
        }
    }

    /** Waits for a change, 0 forever. Says whether it was interrupted: a half-done exchange would spoil the stream. */
    private boolean await(long nanos) {
        try {
            turn.wait(nanos == 0 ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        finish("this side closed the connection");
        socket.close();
        synchronized (turn) {
            commands.forEach(Message::close);
            commands.clear();
        }
    }
}
