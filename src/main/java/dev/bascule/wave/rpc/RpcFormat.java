package dev.bascule.wave.rpc;

/**
 * Request, a bulk message to a core: word 0 number 32 | bytes 32, then the frame in words, little-endian, filled up with
 * zeros. Answer, lines of an MMIO queue to the NIC: word 0 number 32 | bytes 16 | part 16, words 1 to 5 the part of the
 * frame; an answer of 0 bytes is one line and says that there is none. Numbers count a core's requests from 0.
 */
final class RpcFormat {
    static final int PART_WORDS = 5;
    static final int PART_BYTES = PART_WORDS * 8;
    static final int MOST_BYTES = 0xffff;

    private RpcFormat() {}

    static int words(int bytes) {
        return bytes + 7 >>> 3;
    }

    static int parts(int bytes) {
        return Math.max(1, (bytes + PART_BYTES - 1) / PART_BYTES);
    }

    static long request(int number, int bytes) {
        return (long) number << 32 | bytes;
    }

    static long answer(int number, int bytes, int part) {
        return (long) number << 32 | (long) bytes << 16 | part;
    }

    static int number(long head) {
        return (int) (head >>> 32);
    }

    static int requestBytes(long head) {
        return (int) head;
    }

    static int answerBytes(long head) {
        return (int) (head >>> 16) & 0xffff;
    }

    static int part(long head) {
        return (int) head & 0xffff;
    }
}
