package dev.bascule.study.fabric;

import java.util.Arrays;

/**
 * One piece of a stream's data, from the source's push to its end. A device works on the bytes from an offset on; what lies
 * before it, such as a frame's headers, stays in the switch and precedes the result again.
 */
final class Item {
    private final int stream;
    private final Program program;
    private final Family family;
    private final long sequence;
    private int node;
    private final int life;
    private byte[] data;
    private int length;
    private boolean ended;

    /** An item as it was pushed, with its copies. */
    static final class Family {
        private final long bornPs;
        private int alive;

        Family(long bornPs) {
            this.bornPs = bornPs;
        }

        long bornPs() {
            return bornPs;
        }

        /** One more is alive. */
        void add() {
            alive++;
        }

        /** One has ended; whether it was the last. */
        boolean remove() {
            return --alive == 0;
        }
    }

    Item(int stream, int life, Program program, Family family, long sequence, int node, byte[] data) {
        this.stream = stream;
        this.life = life;
        this.program = program;
        this.family = family;
        this.sequence = sequence;
        this.node = node;
        this.data = data;
        this.length = data.length;
        family.add();
    }

    /** A copy that goes to another node. */
    Item copy(int toNode) {
        Item copy = new Item(stream, life, program, family, sequence, node, Arrays.copyOf(data, length));
        copy.node = toNode;
        return copy;
    }

    int stream() {
        return stream;
    }

    /** Life of the stream's number that it belongs to. */
    int life() {
        return life;
    }

    Program program() {
        return program;
    }

    Family family() {
        return family;
    }

    long sequence() {
        return sequence;
    }

    int node() {
        return node;
    }

    void goTo(int next) {
        node = next;
    }

    int length() {
        return length;
    }

    byte[] data() {
        return data;
    }

    byte[] whole() {
        return Arrays.copyOf(data, length);
    }

    /** Whether nothing becomes of it any more. */
    boolean isEnded() {
        return ended;
    }

    void end() {
        ended = true;
    }

    /** Replaces the bytes from {@code offset} on by what the device made of them. */
    void replace(int offset, byte[] result) {
        int kept = Math.min(offset, length);
        byte[] joined = Arrays.copyOf(data, kept + result.length);
        System.arraycopy(result, 0, joined, kept, result.length);
        data = joined;
        length = joined.length;
    }

    long load(int offset, int widthBytes) {
        if (offset + widthBytes > length) {
            return 0;
        }
        long value = 0;
        for (int i = 0; i < widthBytes; i++) {
            value = value << 8 | data[offset + i] & 0xff;
        }
        return value;
    }

    void store(int offset, int widthBytes, long value) {
        if (offset + widthBytes > length) {
            return;
        }
        for (int i = 0; i < widthBytes; i++) {
            data[offset + i] = (byte) (value >>> 8 * (widthBytes - 1 - i));
        }
    }
}
