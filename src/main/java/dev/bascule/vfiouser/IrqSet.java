package dev.bascule.vfiouser;

import dev.bascule.device.InterruptKind;
import dev.bascule.ffi.Fd;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A checked SET_IRQS request.
 *
 * @param kind which interrupts
 * @param start first vector
 * @param count how many; 0 (with start 0) disables the kind
 * @param data one of {@code DATA_*}
 * @param action one of {@code ACTION_*}
 * @param selected for DATA_BOOL: a byte for each vector; else empty
 * @param descriptors for DATA_EVENTFD: one for each vector, or none to take them away
 */
record IrqSet(InterruptKind kind, int start, int count, int data, int action, MemorySegment selected,
        List<Fd> descriptors) {

    /** Checks everything that does not depend on the device but its number of vectors. */
    static IrqSet parse(Message message, ServedInterrupts interrupts) throws Refusal {
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
        if (start + count > interrupts.count(kind) && !(start == 0 && count == 0)) {
            throw Refusal.invalid("vectors " + start + " + " + count + " of " + interrupts.count(kind) + " " + kind);
        }
        if (count == 0 && (start != 0 || data != Protocol.DATA_NONE || action != Protocol.ACTION_TRIGGER)) {
            throw Refusal.invalid("no vector, and not the request that disables all");
        }
        if (action != Protocol.ACTION_TRIGGER && kind.ordinal() > InterruptKind.MSIX.ordinal()) {
            throw Refusal.invalid(kind + " cannot be masked");
        }
        return checked(message, new IrqSet(kind, (int) start, (int) count, data, action,
                message.body().asSlice(Protocol.IRQ_SET_BYTES), List.copyOf(message.descriptors())));
    }

    private static IrqSet checked(Message message, IrqSet set) throws Refusal {
        long dataBytes = message.bodyBytes - (long) Protocol.IRQ_SET_BYTES;
        if (dataBytes != (set.data == Protocol.DATA_BOOL ? set.count : 0)) {
            throw Refusal.invalid(dataBytes + " bytes of data for " + set.count + " vectors");
        }
        if (set.data != Protocol.DATA_EVENTFD) {
            message.requireNoDescriptors();
        } else if (!set.descriptors.isEmpty() && set.descriptors.size() != set.count) {
            throw Refusal.invalid(set.descriptors.size() + " descriptors for " + set.count + " vectors");
        }
        return set;
    }

    /** The kind with an index of VFIO. */
    static InterruptKind kind(int index) throws Refusal {
        InterruptKind[] kinds = InterruptKind.values();
        if (index < 0 || index >= kinds.length) {
            throw Refusal.invalid("interrupt index " + Integer.toUnsignedLong(index));
        }
        return kinds[index];
    }

    /** Whether the action applies to the vector {@code start + i}. */
    boolean selects(int i) {
        return data != Protocol.DATA_BOOL || selected.get(ValueLayout.JAVA_BYTE, i) != 0;
    }
}
