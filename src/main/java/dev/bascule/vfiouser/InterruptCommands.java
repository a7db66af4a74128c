package dev.bascule.vfiouser;

import dev.bascule.device.HostedInterrupts;
import dev.bascule.device.InterruptKind;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a client that concern interrupts, and its eventfds. A vector counts as enabled and unmasked once the
 * client gave it an eventfd, whatever its MSI-X table says, as with kernel VFIO; a client that writes the table itself
 * is obeyed from then on. Eventfds survive a reset of the device and go with the client. Used by the session's thread.
 */
final class InterruptCommands {
    private final HostedInterrupts<EventFd> hosted;
    private final Map<Line, EventFd> told = new HashMap<>();

    /** Eventfd of a vector that is signalled when the client masks or unmasks it. */
    private record Line(int action, InterruptKind kind, int vector) {}

    InterruptCommands(HostedInterrupts<EventFd> hosted) {
        this.hosted = hosted;
    }

    /** GET_IRQ_INFO. */
    void info(Message message, Answer answer) throws Refusal {
        message.requireAtLeast(Protocol.IRQ_INFO_BYTES);
        if (Integer.toUnsignedLong(message.get32(0)) < Protocol.IRQ_INFO_BYTES) {
            throw Refusal.invalid("argsz " + message.get32(0));
        }
        InterruptKind kind = kind(message.get32(8));
        int flags = switch (kind) {
            case INTX -> Protocol.IRQ_EVENTFD | Protocol.IRQ_MASKABLE | Protocol.IRQ_AUTOMASKED;
            case MSI, MSIX -> Protocol.IRQ_EVENTFD | Protocol.IRQ_MASKABLE;
            case ERROR, REQUEST -> Protocol.IRQ_EVENTFD;
        };
        MemorySegment body = answer.body(Protocol.IRQ_INFO_BYTES);
        Fields.put32(body, 0, Protocol.IRQ_INFO_BYTES);
        Fields.put32(body, 4, flags);
        Fields.put32(body, 8, kind.ordinal());
        Fields.put32(body, 12, hosted.count(kind));
    }

    /** SET_IRQS: all of it is checked before any of it is done. */
    void set(Message message) throws Refusal {
        message.requireAtLeast(Protocol.IRQ_SET_BYTES);
        int argumentBytes = message.get32(0);
        if (argumentBytes < Protocol.IRQ_SET_BYTES || argumentBytes > message.bodyBytes) {
            throw Refusal.invalid("argsz " + Integer.toUnsignedLong(argumentBytes));
        }
        int flags = message.get32(4);
        int data = flags & Protocol.DATA_MASK;
        int action = flags & Protocol.ACTION_BITS;
        if ((flags & ~(Protocol.DATA_MASK | Protocol.ACTION_BITS)) != 0 || Integer.bitCount(data) != 1
                || Integer.bitCount(action) != 1) {
            throw Refusal.invalid("flags 0x" + Integer.toHexString(flags));
        }
        InterruptKind kind = kind(message.get32(8));
        long start = Integer.toUnsignedLong(message.get32(12));
        long count = Integer.toUnsignedLong(message.get32(16));
        if (start + count > hosted.count(kind) && !(start == 0 && count == 0)) {
            throw Refusal.invalid("vectors " + start + " + " + count + " of " + hosted.count(kind) + " " + kind);
        }
        if (count == 0 && (start != 0 || data != Protocol.DATA_NONE || action != Protocol.ACTION_TRIGGER)) {
            throw Refusal.invalid("no vector, and not the request that disables all");
        }
        if (action != Protocol.ACTION_TRIGGER && kind.ordinal() > InterruptKind.MSIX.ordinal()) {
            throw Refusal.invalid(kind + " cannot be masked");
        }
        checkData(message, data, count);
        synchronized (hosted) {
            apply(message, data, action, kind, (int) start, (int) count);
        }
    }

    private static void checkData(Message message, int data, long count) throws Refusal {
        long dataBytes = message.bodyBytes - (long) Protocol.IRQ_SET_BYTES;
        if (dataBytes != (data == Protocol.DATA_BOOL ? count : 0)) {
            throw Refusal.invalid(dataBytes + " bytes of data for " + count + " vectors");
        }
        List<Fd> descriptors = message.descriptors();
        if (data != Protocol.DATA_EVENTFD) {
            message.requireNoDescriptors();
        } else if (!descriptors.isEmpty() && descriptors.size() != count) {
            throw Refusal.invalid(descriptors.size() + " descriptors for " + count + " vectors");
        }
        if (!descriptors.stream().allMatch(EventFd::isEventFd)) {
            throw Refusal.invalid("a descriptor that is no eventfd");
        }
    }

    /** The kind with an index of VFIO. */
    private static InterruptKind kind(int index) throws Refusal {
        InterruptKind[] kinds = InterruptKind.values();
        if (index < 0 || index >= kinds.length) {
            throw Refusal.invalid("interrupt index " + Integer.toUnsignedLong(index));
        }
        return kinds[index];
    }

    private void apply(Message message, int data, int action, InterruptKind kind, int start, int count) {
        if (count == 0) {
            disable(kind);
        }
        List<Fd> descriptors = message.takeDescriptors();
        for (int i = 0; i < count; i++) {
            if (data == Protocol.DATA_EVENTFD) {
                assign(new Line(action, kind, start + i),
                        descriptors.isEmpty() ? null : EventFd.of(descriptors.get(i)));
            } else if (data != Protocol.DATA_BOOL
                    || message.body().get(ValueLayout.JAVA_BYTE, Protocol.IRQ_SET_BYTES + i) != 0) {
                act(new Line(action, kind, start + i));
            }
        }
    }

    private void disable(InterruptKind kind) {
        for (int vector = 0; vector < hosted.count(kind); vector++) {
            assign(new Line(Protocol.ACTION_TRIGGER, kind, vector), null);
        }
    }

    private void assign(Line line, @Nullable EventFd eventFd) {
        EventFd before;
        if (line.action == Protocol.ACTION_TRIGGER) {
            before = hosted.connect(line.kind, line.vector, eventFd);
        } else {
            before = eventFd == null ? told.remove(line) : told.put(line, eventFd);
        }
        if (before != null) {
            before.close();
        }
    }

    private void act(Line line) {
        if (line.action == Protocol.ACTION_TRIGGER) {
            hosted.fire(line.kind, line.vector);
            return;
        }
        hosted.setMasked(line.kind, line.vector, line.action == Protocol.ACTION_MASK);
        EventFd eventFd = told.get(line);
        if (eventFd != null) {
            eventFd.signal(); // one that is full has been signalled already
        }
    }

    /** The client is gone: its eventfds are closed. */
    void release() {
        synchronized (hosted) {
            for (InterruptKind kind : InterruptKind.values()) {
                disable(kind);
            }
        }
        told.values().forEach(EventFd::close);
        told.clear();
    }
}
