package dev.bascule.app.judge;

/** Words of frames in network order, and sums over them. */
final class Bytes {
    private static final int ROW = 16;

    private Bytes() {}

    static void put16(byte[] bytes, int at, int value) {
        bytes[at] = (byte) (value >>> 8);
        bytes[at + 1] = (byte) value;
    }

    /** Words one after the other. */
    static void put(byte[] bytes, int at, int... words) {
        for (int i = 0; i < words.length; i++) {
            put16(bytes, at + 2 * i, words[i]);
        }
    }

    static int get16(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | (bytes[at + 1] & 0xFF);
    }

    static int get32(byte[] bytes, int at) {
        return get16(bytes, at) << 16 | get16(bytes, at + 2);
    }

    /** One's complement sum, not inverted; a last odd byte is the high one of its word. */
    static int sum(byte[] bytes, int from, int to) {
        int sum = 0;
        for (int at = from; at + 1 < to; at += 2) {
            sum += get16(bytes, at);
        }
        return fold((to - from) % 2 == 0 ? sum : sum + ((bytes[to - 1] & 0xFF) << 8));
    }

    static int fold(int sum) {
        int once = (sum & 0xFFFF) + (sum >>> 16);
        return (once & 0xFFFF) + (once >>> 16);
    }

    /** A row as {@code 0040: 12 34 ...}, of what there is of it. */
    static String row(byte[] bytes, int length, int at) {
        StringBuilder text = new StringBuilder("%04x:".formatted(at));
        for (int i = at; i < Math.min(at + ROW, length); i++) {
            text.append(" %02x".formatted(bytes[i]));
        }
        return text.append(at >= length ? " (ended)" : "").toString();
    }

    /** Start of the row that has byte {@code at}. */
    static int rowOf(int at) {
        return at & -ROW;
    }
}
