package dev.bascule.model.cndm.proto;

import static dev.bascule.nic.cndm.proto.ProtoRegisters.*;

/** One of a port's four queues, of descriptors or of completions. */
final class ProtoQueue {
    private static final int POINTER_MASK = 0xFFFF;

    /** Number in captures. */
    final int number;
    private final boolean completions;
    boolean enabled;
    private int logEntries;
    /** Pointer that the host writes: to the end of what it gave. */
    private int given;
    /** Pointer that the card moves: to the next entry that it reads or writes. */
    private int next;
    private long address;

    ProtoQueue(int number, boolean completions) {
        this.number = number;
        this.completions = completions;
    }

    int read(int register) {
        return switch (register) {
            case CONTROL -> (enabled ? ENABLE : 0) | logEntries << SIZE_SHIFT;
            case POINTERS -> completions ? next : next << 16 | given;
            case ADDRESS_LOW -> (int) address;
            case ADDRESS_HIGH -> (int) (address >>> 32);
            default -> 0;
        };
    }

    void write(int register, int value) {
        switch (register) {
            case CONTROL -> {
                enabled = (value & ENABLE) != 0;
                logEntries = value >>> SIZE_SHIFT & 0xF;
                next = enabled ? next : 0; // the host's pointer stays [RTL]
            }
            case POINTERS -> given = completions ? 0 : value & POINTER_MASK;
            case ADDRESS_LOW -> address = address & 0xFFFF_FFFF_0000_0000L | value & 0xFFFF_FFFFL;
            case ADDRESS_HIGH -> address = address & 0xFFFF_FFFFL | (long) value << 32;
            default -> {
            }
        }
    }

    /** Whether there is a descriptor. Any producer that is not the card's own pointer is believed [RTL]. */
    boolean hasWork() {
        return enabled && given != next;
    }

    /** Phase of the entry to be written: set in the first round. */
    boolean phase() {
        return (next >>> logEntries & 1) == 0;
    }

    /** Goes past the next entry; says where it is. */
    long take() {
        long at = address + (long) ENTRY_BYTES * (next & (1 << logEntries) - 1);
        next = next + 1 & POINTER_MASK;
        return at;
    }
}
