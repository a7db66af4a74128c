package dev.bascule.host;

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
