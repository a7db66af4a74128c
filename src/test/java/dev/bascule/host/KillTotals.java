package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;

/** What a run of kills has counted so far. */
final class KillTotals {
    int counted;
    int uncounted;
    long offered;
    long lost;
    long duplicated;
    /** Requests that were open when a kill that counts came. */
    long openAtKills;
    /** Requests begun by a host that was killed before it answered them, and begun again by another. */
    long begunAgain;
    private final int[] manners;

    KillTotals(int manners) {
        this.manners = new int[manners];
    }

    /** One host and its kills; adds to the totals. */
    interface Round {
        void run(long seed, int kills) throws Exception;
    }

    /**
     * Rounds with one seed each until so many kills count; no request may be lost or run twice in any of them.
     *
     * @param what is killed, and where
     * @param perRound kills of one round
     * @return the seeds and how long it took, to print
     */
    String repeat(String what, int kills, int perRound, Round round) throws Exception {
        long first = new SplittableRandom().nextLong() & 0xffff_ffffL;
        long seed = first;
        long from = System.nanoTime();
        for (; counted < kills; seed++) {
            System.out.println("kills of " + what + ", seed " + seed + ": " + counted + " of " + kills);
            round.run(seed, Math.min(perRound, kills - counted));
            assertThat(lost).as("requests lost, %s, seed %d", what, seed).isZero();
            assertThat(duplicated).as("requests duplicated, %s, seed %d", what, seed).isZero();
        }
        return offered + " requests offered, lost " + lost + ", duplicated " + duplicated + "; seeds " + first + " to "
                + (seed - 1) + ", " + (System.nanoTime() - from) / 1_000_000_000 + " s";
    }

    /** A kill that counts. */
    void count(int manner, long open) {
        counted++;
        manners[manner]++;
        openAtKills += open;
    }

    /** How many kills of a manner counted. */
    int of(int manner) {
        return manners[manner];
    }
}
