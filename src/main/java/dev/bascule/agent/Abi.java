package dev.bascule.agent;

/**
 * Versions of the byte layouts that host and agent share. A host speaks a range; an agent takes the newest version
 * both speak (ghOSt demands an exact match, which its users report as their first problem, issue 57). Version 2: status
 * words have a digest. Version 3: messages tell of outcomes.
 */
final class Abi {
    /** The oldest version this build speaks. */
    public static final int OLDEST = 3;
    /** The newest version this build speaks. */
    public static final int VERSION = 3;

    private Abi() {}

    /** Whether a transaction of this version can be read. */
    public static boolean speaks(int version) {
        return version >= OLDEST && version <= VERSION;
    }

    /**
     * The newest version that both ends speak.
     *
     * @throws AgentException if the ranges do not meet
     */
    public static int negotiate(int peerOldest, int peerNewest) {
        int version = Math.min(VERSION, peerNewest);
        if (version < Math.max(OLDEST, peerOldest)) {
            throw new AgentException("negotiate ABI: this end speaks " + OLDEST + " to " + VERSION
                    + ", the other end " + peerOldest + " to " + peerNewest
                    + "; run both ends from releases whose ranges meet");
        }
        return version;
    }
}
