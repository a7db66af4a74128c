package dev.bascule.host;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.Lines;
import dev.bascule.memory.Window;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * The first page of a region in a card's memory: what the host has laid out and where, and what the card's cores answer.
 * <p>
 * Line 0, the host's, written and read whole: 0 magic; 1 version 8 | transport 8 | epoch 32, which counts the hosts of the
 * region; 2 bytes of NIC memory, which begins at the next page; 3 bytes of host memory; 4 its device address, or its
 * offset in the region; 5 what the host says of itself 32 | in the BAR 1; 6 a cookie, which is also the first word of
 * host memory that lies elsewhere, so that an agent knows that it has reached it; 7 digest.
 * <p>
 * Line 1, the cores': 0 epoch answered 32 | code 32; 1 detail; 7 digest.
 */
record Handshake(int transport, int epoch, long nicBytes, long hostBytes, long hostAddress, long self, boolean inBar,
        long cookie) {
    /** Bytes before NIC memory, and before what is host memory if that lies elsewhere. */
    static final long PAGE = 4096;
    static final int VERSION = 3;
    /** The cores reach everything. */
    static final int REACHED = 1;
    /** The host's address is not one that the cores reach. */
    static final int NOT_REACHED = 2;
    /** At the host's address something else was read, the detail. */
    static final int OTHER_MEMORY = 3;

    private static final long MAGIC = 0x324d_4853_5649_4c42L;
    private static final long ANSWER = 64;
    /** How often a header that is being written is read, a tenth of a millisecond apart, before it counts as damaged. */
    private static final int LOOKS = 10_000;

    /** Answer of the card's cores to a handshake. */
    record Answer(int epoch, int code, long detail) {}

    private static Handshake of(long[] words) {
        return new Handshake((int) (words[1] >>> 8 & 0xff), (int) (words[1] >>> 32), words[2], words[3], words[4],
                words[5] >>> 32, (words[5] & 1) != 0, words[6]);
    }

    private long[] words() {
        long[] words = { MAGIC, VERSION | (long) transport << 8 | (long) epoch << 32, nicBytes, hostBytes, hostAddress,
                self << 32 | (inBar ? 1 : 0), cookie, 0 };
        words[7] = Lines.digest(words, 0);
        return words;
    }

    /** Whether memory laid out for the other can be used for this. */
    boolean isLaidOutAs(Handshake other) {
        return transport == other.transport && nicBytes == other.nicBytes && hostBytes == other.hostBytes
                && inBar == other.inBar;
    }

    void write(Window page) {
        page.storeLine(0, words(), 0);
        page.writeFence();
    }

    /** No agent attaches from now on. */
    static void clear(Window page) {
        page.storeRelease(0, 0);
        page.writeFence();
    }

    private static boolean isWhole(Window page, long[] words) {
        page.invalidateLine(0);
        page.loadLine(0, words, 0);
        return words[0] == MAGIC && (int) (words[1] & 0xff) == VERSION && words[7] == Lines.digest(words, 0);
    }

    /** Handshake that a host has written, a former one perhaps, if it is whole. */
    static Optional<Handshake> found(Window page) {
        long[] words = new long[Lines.WORDS];
        return isWhole(page, words) ? Optional.of(of(words)) : Optional.empty();
    }

    /**
     * Reads the handshake that the host has written; the host of another process may lay the region out anew meanwhile.
     *
     * @throws AgentException if no host has laid one out, or one of another version, or its header is damaged
     */
    static Handshake read(Window page) {
        long[] words = new long[Lines.WORDS];
        for (int look = 0; !isWhole(page, words); look++) {
            if (words[0] != MAGIC) {
                throw new AgentException("attach to the card's region: no host has laid one out; start the host first");
            }
            if (look == LOOKS) {
                int version = (int) (words[1] & 0xff);
                throw new AgentException("attach to the card's region: " + (words[7] == Lines.digest(words, 0)
                        ? "its host speaks version " + version + " of the handshake, this agent " + VERSION
                                + "; use one version at both ends"
                        : "its header is damaged; start the host again"));
            }
            LockSupport.parkNanos(100_000);
        }
        return of(words);
    }

    /** The cores' word on this handshake. */
    void answer(Window page, int code, long detail) {
        long[] words = { epoch & 0xffff_ffffL | (long) code << 32, detail, 0, 0, 0, 0, 0, 0 };
        words[7] = Lines.digest(words, ANSWER);
        page.storeLine(ANSWER, words, 0);
        page.writeFence();
    }

    /** The cores' last word, if it is about this handshake. */
    Optional<Answer> answered(Window page) {
        long[] words = new long[Lines.WORDS];
        page.invalidateLine(ANSWER);
        page.loadLine(ANSWER, words, 0);
        return words[7] == Lines.digest(words, ANSWER) && (int) words[0] == epoch && words[0] >>> 32 != 0
                ? Optional.of(new Answer(epoch, (int) (words[0] >>> 32), words[1]))
                : Optional.empty();
    }
}
