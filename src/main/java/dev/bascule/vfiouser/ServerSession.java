package dev.bascule.vfiouser;

import dev.bascule.device.InterruptKind;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.vfiouser.ServerEvent.Kind;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server's side of one connection. Every message is checked before anything is done; what does not fit is answered
 * with an error, and the connection stays unless the start of the next message cannot be found. Runs on one thread.
 */
final class ServerSession implements AutoCloseable {
    private static final long DMA_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long FIRST_MESSAGE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_REFUSALS_REPORTED = 16;

    private final ServedDevice device;
    private final RegionCommands regions;
    private final InterruptCommands interrupts;
    private final Endpoint endpoint;
    private final Consumer<ServerEvent> events;
    private final Answer answer = new Answer();
    private Offer peer = Offer.OURS;
    private volatile @Nullable String cutOff;
    private boolean agreed;
    private int refusals;

    ServerSession(ServedDevice device, UnixSocket socket, Consumer<ServerEvent> events) {
        this.device = device;
        this.regions = new RegionCommands(device);
        this.interrupts = new InterruptCommands(device.interrupts());
        this.events = events;
        this.endpoint = new Endpoint(socket, Offer.OURS.maxDescriptors(), null);
    }

    /**
     * Serves until the client has left, cannot be understood or is disconnected; says why. The device forgets the
     * client, and is reset where the client did not leave by itself.
     */
    String run() {
        device.attach(this::cutOff);
        try {
            String reason = serve();
            return cutOff == null ? reason : String.valueOf(cutOff);
        } catch (RuntimeException | Error e) { // whatever it is, it ends with this client
            cutOff("the server met " + e);
            return String.valueOf(cutOff);
        } finally {
            endpoint.close();
            device.release();
            interrupts.release();
            if (cutOff != null) {
                device.reset();
            }
        }
    }

    private void cutOff(String reason) {
        if (cutOff == null) {
            cutOff = reason;
        }
        endpoint.close();
    }

    private String serve() {
        try {
            boolean goOn = true;
            while (goOn) {
                Message message = endpoint.take(agreed ? 0 : FIRST_MESSAGE_NANOS);
                try {
                    goOn = serve(message);
                } finally {
                    endpoint.recycle(message);
                }
            }
            return "the client broke the protocol";
        } catch (Disconnected e) {
            return e.reason();
        }
    }

    /** Whether the connection goes on. */
    private boolean serve(Message message) throws Disconnected {
        answer.clear();
        boolean first = !agreed;
        try {
            dispatch(message);
        } catch (Refusal refusal) {
            tell(message, refusal.reason(), refusal.errno());
            endpoint.refuse(message, refusal.errno());
            return !message.fatal && !first;
        } catch (RuntimeException e) { // a bug of the model; the device and the other clients live on
            tell(message, e.toString(), Errno.EIO);
            endpoint.refuse(message, Errno.EIO);
            return !first;
        }
        endpoint.reply(message, answer.body(), MemorySegment.NULL, answer.descriptors());
        return true;
    }

    private void tell(Message message, String reason, int errno) {
        if (++refusals <= MOST_REFUSALS_REPORTED) {
            events.accept(new ServerEvent(Kind.REFUSED, message + ": " + Errno.name(errno) + ", " + reason
                    + (refusals == MOST_REFUSALS_REPORTED ? " (further ones are not reported)" : "")));
        }
    }

    private void dispatch(Message message) throws Refusal {
        if (message.malformed != null) {
            throw Refusal.invalid(message.malformed);
        }
        if (agreed == (message.command == Protocol.VERSION)) {
            throw Refusal.invalid(agreed ? "a second version message" : "a command before the version message");
        }
        if (message.command != Protocol.DMA_MAP && message.command != Protocol.SET_IRQS) {
            message.requireNoDescriptors();
        }
        switch (message.command) {
            case Protocol.VERSION -> negotiate(message);
            case Protocol.DMA_MAP -> map(message);
            case Protocol.DMA_UNMAP -> unmap(message);
            case Protocol.GET_INFO -> info(message);
            case Protocol.GET_REGION_INFO -> regions.info(message, answer);
            case Protocol.GET_REGION_IO_FDS -> regions.ioDescriptors(message, answer);
            case Protocol.GET_IRQ_INFO -> interrupts.info(message, answer);
            case Protocol.SET_IRQS -> interrupts.set(message);
            case Protocol.REGION_READ -> regions.read(message, answer, Offer.OURS.maxTransferBytes());
            case Protocol.REGION_WRITE -> regions.write(message, answer, Offer.OURS.maxTransferBytes());
            case Protocol.RESET -> reset(message);
            case Protocol.REGION_WRITE_MULTI -> writeMultiple(message);
            case Protocol.DEVICE_FEATURE, Protocol.MIGRATION_READ, Protocol.MIGRATION_WRITE ->
                throw new Refusal(Errno.EOPNOTSUPP, "migration and features are not offered");
            default -> throw Refusal.invalid("a command that clients do not send");
        }
    }

    private void negotiate(Message message) throws Refusal {
        peer = Offer.parse(message.body());
        agreed = true;
        device.memory().connect(this::transfer);
        MemorySegment ours = peer.answer().body();
        answer.body((int) ours.byteSize()).copyFrom(ours);
        UnixSocket.Peer process = endpoint.socket().peer();
        events.accept(new ServerEvent(Kind.CONNECTED, "process " + process.pid() + " of user " + process.uid()
                + ", protocol 0." + peer.answer().minor()));
    }

    private void map(Message message) throws Refusal {
        message.requireBody(Protocol.DMA_MAP_BYTES);
        if (message.get32(0) != Protocol.DMA_MAP_BYTES) {
            throw Refusal.invalid("argsz " + Integer.toUnsignedLong(message.get32(0)));
        }
        List<Fd> files = message.descriptors();
        if (files.size() > 1) {
            throw Refusal.invalid(files.size() + " descriptors for one mapping");
        }
        device.memory().map(message.get64(16), message.get64(24), message.get32(4),
                files.isEmpty() ? null : files.getFirst(), message.get64(8));
    }

    private void unmap(Message message) throws Refusal {
        message.requireBody(Protocol.DMA_UNMAP_BYTES);
        long room = Integer.toUnsignedLong(message.get32(0));
        int flags = message.get32(4);
        if (room < Protocol.DMA_UNMAP_BYTES || room > Protocol.DEFAULT_TRANSFER_BYTES) {
            throw Refusal.invalid("argsz " + room);
        }
        if (flags == Protocol.UNMAP_ALL && message.get64(8) == 0 && message.get64(16) == 0) {
            device.memory().unmapAll();
        } else if (flags == 0) {
            device.memory().unmap(message.get64(8), message.get64(16));
        } else {
            throw Refusal.invalid("flags 0x" + Integer.toHexString(flags) + " with this range");
        }
        answer.body(Protocol.DMA_UNMAP_BYTES).copyFrom(message.body());
    }

    private void info(Message message) throws Refusal {
        message.requireAtLeast(Protocol.INFO_BYTES);
        if (Integer.toUnsignedLong(message.get32(0)) < Protocol.INFO_BYTES) {
            throw Refusal.invalid("argsz " + message.get32(0));
        }
        MemorySegment body = answer.body(Protocol.INFO_BYTES);
        Fields.put32(body, 0, Protocol.INFO_BYTES);
        Fields.put32(body, 4, Protocol.DEVICE_RESETS | Protocol.DEVICE_IS_PCI);
        Fields.put32(body, 8, Protocol.REGIONS);
        Fields.put32(body, 12, InterruptKind.values().length);
    }

    private void reset(Message message) throws Refusal {
        message.requireBody(0);
        device.reset();
        events.accept(new ServerEvent(Kind.RESET, "by the client"));
    }

    private void writeMultiple(Message message) throws Refusal {
        if (!peer.writeMultiple()) {
            throw Refusal.invalid("REGION_WRITE_MULTI was not agreed");
        }
        regions.writeMultiple(message, answer);
    }

    /** Memory without a descriptor: piece by piece over the socket. */
    private boolean transfer(long iova, MemorySegment local, long localOffset, long lengthBytes, boolean write) {
        long most = peer.maxTransferBytes();
        for (long done = 0; done < lengthBytes;) {
            long part = Math.min(most, lengthBytes - done);
            MemorySegment piece = local.asSlice(localOffset + done, part);
            try {
                if (!transferPart(iova + done, piece, write)) {
                    return false;
                }
            } catch (Disconnected e) {
                return false;
            }
            done += part;
        }
        return true;
    }

    private boolean transferPart(long iova, MemorySegment piece, boolean write) throws Disconnected {
        MemorySegment head = MemorySegment.ofArray(new long[2]);
        Fields.put64(head, 0, iova);
        Fields.put64(head, 8, piece.byteSize());
        Message reply = endpoint.call(write ? Protocol.DMA_WRITE : Protocol.DMA_READ, head,
                write ? piece : MemorySegment.NULL, List.of(), DMA_TIMEOUT_NANOS, true);
        try {
            if (reply.failed() || reply.command != (write ? Protocol.DMA_WRITE : Protocol.DMA_READ)) {
                return false;
            }
            if (write) {
                return true;
            }
            boolean whole = reply.bodyBytes == Protocol.DMA_ACCESS_BYTES + piece.byteSize()
                    && reply.get64(0) == iova && reply.get64(8) == piece.byteSize();
            if (whole) {
                piece.copyFrom(reply.body().asSlice(Protocol.DMA_ACCESS_BYTES));
            }
            return whole;
        } finally {
            endpoint.recycle(reply);
        }
    }

    /** Ends the connection from another thread. */
    @Override
    public void close() {
        endpoint.close();
    }
}
