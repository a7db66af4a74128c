package dev.bascule.wave;

import dev.bascule.agent.Lines;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One queue as the directory describes it; a sealed line that only the host writes. Word 0: epoch 16 | tag 16 | state
 * 16 | kind 16; word 1: id; word 2: direction 8 | type 8 | target kind + 1, 0 for none, 8 | zero 8 | target 32; word 3:
 * entries; word 4 and 5: where it lies; word 6 zero; word 7 digest.
 *
 * @param id number of the queue, not used again within an epoch
 * @param tag 16 bits that every line of this queue carries; another one after a change of type
 * @param entries lines of its ring
 * @param nicOffset its place in NIC memory
 * @param hostOffset its place in host memory, 0 for MMIO
 * @param target whom it belongs to, if anyone
 */
public record QueueEntry(int id, int tag, QueueDirection direction, QueueType type, int entries, long nicOffset,
        long hostOffset, @Nullable QueueTarget target) {
    private static final long KIND = 0x51;
    private static final long LIVE = 1;

    /** Reasons of {@link #decode} for a line that is no queue. */
    enum Refusal {
        /** Never used, or destroyed. */
        EMPTY,
        /** Of another epoch. */
        STALE,
        /** Not whole, or pointing where it must not. */
        DAMAGED
    }

    void encode(int epoch, long position, long[] into) {
        into[0] = head(epoch, LIVE) | (long) tag << 32;
        into[1] = id;
        into[2] = (long) direction.ordinal() << 56 | (long) type.ordinal() << 48;
        if (target != null) {
            into[2] |= (long) (target.kind().ordinal() + 1) << 40 | target.number();
        }
        into[3] = entries;
        into[4] = nicOffset;
        into[5] = hostOffset;
        into[6] = 0;
        into[7] = Lines.digest(into, position);
    }

    /** A line that says that there is no queue. */
    static void encodeEmpty(int epoch, long position, long[] into) {
        Arrays.fill(into, 0);
        into[0] = head(epoch, 0);
        into[7] = Lines.digest(into, position);
    }

    private static long head(int epoch, long state) {
        return (epoch & 0xffffL) << 48 | state << 16 | KIND;
    }

    /** Why a line is no queue of this area; null if it is one. */
    static @Nullable Refusal refusal(long[] words, long position, QueueArea area) {
        if (words[0] == 0 && words[7] == 0) {
            return Refusal.EMPTY;
        }
        if (Lines.digest(words, position) != words[7]) {
            return Refusal.DAMAGED;
        }
        if (words[0] >>> 48 != (area.epoch() & 0xffff)) {
            return Refusal.STALE;
        }
        if (words[0] == head(area.epoch(), 0)) {
            return Refusal.EMPTY;
        }
        boolean sound = (words[0] & 0xffff_0000_ffff_ffffL) == head(area.epoch(), LIVE) && words[1] > 0
                && words[1] <= Integer.MAX_VALUE && isSoundKind(words[2]) && isInside(words, area);
        return sound ? null : Refusal.DAMAGED;
    }

    private static boolean isSoundKind(long word) {
        return word >>> 56 < 2 && (word >>> 48 & 0xff) < 2 && (word >>> 40 & 0xff) <= QueueTarget.Kind.values().length
                && (word >>> 32 & 0xff) == 0 && (int) word >= 0;
    }

    private static boolean isInside(long[] words, QueueArea area) {
        long entries = words[3];
        if (entries < 2 || entries > QueueArea.MAX_ENTRIES || Long.bitCount(entries) != 1
                || ((words[4] | words[5]) & 63) != 0) {
            return false;
        }
        long host = area.hostNeeded(QueueType.values()[(int) (words[2] >>> 48 & 0xff)], (int) entries);
        return words[4] >= area.nicFirst() && words[4] <= area.nicEnd() - area.nicNeeded((int) entries)
                && (host == 0 ? words[5] == 0 : words[5] >= area.hostOffset() && words[5] <= area.hostEnd() - host);
    }

    /** The queue of a line that was not refused. */
    static QueueEntry decode(long[] words) {
        int kind = (int) (words[2] >>> 40 & 0xff);
        return new QueueEntry((int) words[1], (int) (words[0] >>> 32 & 0xffff),
                QueueDirection.values()[(int) (words[2] >>> 56)], QueueType.values()[(int) (words[2] >>> 48 & 0xff)],
                (int) words[3], words[4], words[5],
                kind == 0 ? null : new QueueTarget(QueueTarget.Kind.values()[kind - 1], (int) words[2]));
    }

    /** The parts of a DMA queue. */
    BulkRing ring(QueueArea area) {
        boolean toNic = direction == QueueDirection.TO_NIC;
        long lines = toNic ? nicOffset : hostOffset; // the receiver's memory
        long credit = toNic ? hostOffset : nicOffset; // the sender's memory
        return new BulkRing(lines + QueueArea.CONTROL_BYTES, entries, lines + 64, credit,
                hostOffset + QueueArea.ringBytes(entries), area.payloadBytes(), tag);
    }
}
