package dev.bascule.model.enso;

import java.util.Arrays;

/** The four registers of each queue of one kind: tail, head and the two halves of the address, 32 bits each. */
final class QueueRegisters {
    static final int LANES = 4;

    final int[] tail;
    final int[] head;
    private final int[] addressLow;
    private final int[] addressHigh;

    QueueRegisters(int queues) {
        tail = new int[queues];
        head = new int[queues];
        addressLow = new int[queues];
        addressHigh = new int[queues];
    }

    long address(int queue) {
        return (long) addressHigh[queue] << 32 | Integer.toUnsignedLong(addressLow[queue]);
    }

    int lane(int lane, int queue) {
        return lanes(lane)[queue];
    }

    void setLane(int lane, int queue, int value) {
        lanes(lane)[queue] = value;
    }

    void clearAddress(int queue) {
        addressLow[queue] = 0;
        addressHigh[queue] = 0;
    }

    void clear() {
        for (int lane = 0; lane < LANES; lane++) {
            Arrays.fill(lanes(lane), 0);
        }
    }

    private int[] lanes(int lane) {
        return switch (lane) {
            case 0 -> tail;
            case 1 -> head;
            case 2 -> addressLow;
            default -> addressHigh;
        };
    }
}
