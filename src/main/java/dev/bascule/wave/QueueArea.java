package dev.bascule.wave;

import dev.bascule.memory.Window;

/**
 * The memory that queues are made from, agreed on by both sides. Directory: one line per queue at the start of the NIC
 * part; the rest of the NIC part and the host part are given out to queues.
 *
 * @param epoch session both sides are in
 * @param queues queues at one time
 * @param nicOffset start of the part in NIC memory
 * @param nicBytes its size
 * @param hostOffset start of the part in host DMA memory
 * @param hostBytes its size
 * @param payloadBytes payload ring of each DMA queue, a power of two
 */
public record QueueArea(int epoch, int queues, long nicOffset, long nicBytes, long hostOffset, long hostBytes,
        long payloadBytes) {
    /** Most queues of an area. */
    public static final int MAX_QUEUES = 1024;
    /** Most entries of a queue. */
    public static final int MAX_ENTRIES = 1 << 16;

    /** Credit and total before the lines of a queue. */
    static final long CONTROL_BYTES = 2L * Window.LINE_BYTES;

    /** Checks sizes and alignment. */
    public QueueArea {
        if (queues < 1 || queues > MAX_QUEUES) {
            throw new IllegalArgumentException(queues + " queues in an area; there must be 1 to " + MAX_QUEUES);
        }
        if (((nicOffset | nicBytes | hostOffset | hostBytes) & Window.LINE_BYTES - 1) != 0
                || (nicOffset | nicBytes | hostOffset | hostBytes) < 0) {
            throw new IllegalArgumentException("a queue area consists of whole 64-byte lines");
        }
        if (nicBytes < (long) queues * Window.LINE_BYTES) {
            throw new IllegalArgumentException(
                    "a directory of " + queues + " queues does not fit into " + nicBytes + " bytes of NIC memory");
        }
        if (Long.bitCount(payloadBytes) != 1 || payloadBytes < BulkRing.MIN_PAYLOAD_BYTES
                || payloadBytes > BulkRing.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("payload ring of " + payloadBytes + " bytes is not a power of two");
        }
    }

    long entry(int slot) {
        return nicOffset + (long) slot * Window.LINE_BYTES;
    }

    long nicFirst() {
        return entry(queues);
    }

    long nicEnd() {
        return nicOffset + nicBytes;
    }

    long hostEnd() {
        return hostOffset + hostBytes;
    }

    static long ringBytes(int entries) {
        return CONTROL_BYTES + (long) entries * Window.LINE_BYTES;
    }

    /** NIC memory of a queue, bytes: control lines and a ring. */
    long nicNeeded(int entries) {
        return ringBytes(entries);
    }

    /** Host memory of a queue, bytes: nothing, or control lines, a ring and the payload ring. */
    long hostNeeded(QueueType type, int entries) {
        return type == QueueType.MMIO ? 0 : ringBytes(entries) + payloadBytes;
    }
}
