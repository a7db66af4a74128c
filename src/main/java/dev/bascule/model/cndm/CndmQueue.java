package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

/** State of a queue number of a port: eight words, all of which can be written at any time [RTL]. */
final class CndmQueue {
    private static final int POINTER_MASK = 0xFFFF;

    final int number;
    /** Whether it is of the pool of event and completion queues. */
    private final boolean notifies;
    boolean enabled;
    int kind;
    int logEntries;
    int bound;
    boolean interrupts;
    int producer;
    int consumer;
    private long address;
    private boolean armed;
    private boolean remembered;

    CndmQueue(int number, boolean notifies) {
        this.number = number;
        this.notifies = notifies;
    }

    int read(int word) {
        return switch (word) {
            case 0 -> (enabled ? 1 : 0) | (armed ? 2 : 0) | logEntries << 16 | kind << 20;
            case 1 -> bound | (interrupts ? BIT_31 : 0);
            case 2 -> producer;
            case 3 -> consumer;
            case 6 -> (int) address;
            case 7 -> (int) (address >>> 32);
            default -> 0;
        };
    }

    void write(int word, int value) {
        switch (word) {
            case 0 -> {
                enabled = (value & 1) != 0;
                armed = notifies && (value & 2) != 0;
                remembered = false;
                logEntries = value >>> 16 & 0xF;
                kind = value >>> 20 & 7;
            }
            case 1 -> {
                bound = value & QUEUES - 1;
                interrupts = notifies && value < 0;
            }
            case 2 -> producer = value & POINTER_MASK;
            case 3 -> {
                consumer = value & POINTER_MASK;
                armed |= notifies && value < 0; // nothing but a notification or word 0 disarms [RTL]
            }
            case 6 -> address = address & 0xFFFF_FFFF_0000_0000L | value & 0xFFFF_FFFFL;
            case 7 -> address = address & 0xFFFF_FFFFL | (long) value << 32;
            default -> {
            }
        }
    }

    boolean is(int wanted) {
        return enabled && kind == wanted;
    }

    boolean isEmpty() {
        return producer == consumer;
    }

    /** Also for a consumer beyond the producer [RTL]. */
    boolean isFull() {
        return (producer - consumer & POINTER_MASK) >>> logEntries != 0;
    }

    long entryAddress(int pointer) {
        return address + (long) ENTRY_BYTES * (pointer & (1 << logEntries) - 1);
    }

    /** Phase of the entry to be written: set in the first round. */
    boolean phase() {
        return (producer >>> logEntries & 1) == 0;
    }

    /** Goes to the next entry after one was written. */
    void produced() {
        producer = producer + 1 & POINTER_MASK;
        remembered = true;
    }

    /** Takes the next entry. */
    long consume() {
        long at = entryAddress(consumer);
        consumer = consumer + 1 & POINTER_MASK;
        return at;
    }

    /** Whether it notifies now; it is neither armed nor remembers anything then. */
    boolean fires() {
        boolean fires = enabled && armed && remembered;
        if (fires) {
            armed = false;
            remembered = false;
        }
        return fires;
    }
}
