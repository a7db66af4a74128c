package dev.bascule.agent;

import dev.bascule.memory.Window;

/**
 * First line of every shared region: what lies in it, and which ABI versions its host speaks. Written once, before
 * anybody attaches.
 * <p>
 * Words: 0 magic; 1 kind 32 | oldest 8 | newest 8; 2 cpus 32 | tasks 32; 3 agents 32 | channel entries 32; 4 staged 32
 * | placement 32; 5 region id; 6 siblings 32 | sockets 32, zero for a flat topology; 7 digest of words 0 to 6.
 *
 * @param kind which transport laid the region out
 * @param placement where the transport puts the agent's lines; 0 by default
 */
public record RegionHeader(int kind, EnclaveShape shape, int placement) {
    /** Kind: coherent memory on the host. */
    public static final int LOCAL = 1;
    /** Kind: Wave's queues. */
    public static final int WAVE = 2;
    /** Kind: the bilateral swap. */
    public static final int SWAP = 3;

    private static final long MAGIC = 0x4241_5343_554c_4531L; // "BASCULE1"

    /** Writes the header at {@code offset}. */
    public void write(Window window, long offset) {
        Topology topology = shape.topology();
        long[] words = { MAGIC, (long) kind << 32 | Abi.OLDEST << 8 | Abi.VERSION,
                (long) shape.cpus() << 32 | shape.tasks(), (long) shape.agents() << 32 | shape.channelEntries(),
                (long) shape.staged() << 32 | placement, 0,
                topology.isFlat() ? 0 : (long) topology.siblings() << 32 | topology.sockets(), 0 };
        words[7] = Lines.digest(words, offset);
        for (int i = 7; i >= 0; i--) {
            window.storeRelease(offset + i * 8L, words[i]);
        }
        window.writeFence();
    }

    /**
     * Reads a header of the wanted kind.
     *
     * @throws AgentException if it is none, is damaged, is of another kind, or its host speaks no common ABI version
     */
    public static RegionHeader read(Window window, long offset, int wantedKind) {
        long[] words = words(window, offset);
        int kind = kind(words);
        if (kind != wantedKind) {
            throw wrongTransport(kind, wantedKind);
        }
        Abi.negotiate((int) (words[1] >>> 8) & 0xff, (int) words[1] & 0xff);
        try {
            return new RegionHeader(kind, shape(words), (int) words[4]);
        } catch (IllegalArgumentException e) {
            throw new DamagedRegionException("attach to region: its header says what no host writes: " + e.getMessage()
                    + "; restart the host", e);
        }
    }

    /**
     * Number of the transport that laid the region out.
     *
     * @throws DamagedRegionException if there is no header, or it is damaged
     */
    public static int kind(Window window, long offset) {
        return kind(words(window, offset));
    }

    private static int kind(long[] words) {
        return (int) (words[1] >>> 32);
    }

    /** For an agent of one kind that finds a region of another. */
    public static AgentException wrongTransport(int found, int wanted) {
        return new AgentException("attach to region: its host uses transport " + transport(found) + ", this agent "
                + transport(wanted) + "; start the agent with --transport " + transport(found));
    }

    private static String transport(int kind) {
        return switch (kind) {
            case LOCAL -> "on-host";
            case WAVE -> "wave";
            case SWAP -> "swap";
            default -> "of kind " + kind;
        };
    }

    private static long[] words(Window window, long offset) {
        long[] words = new long[8];
        for (long line = offset; line < offset + 64; line += 64) {
            window.invalidateLine(line);
        }
        for (int i = 0; i < 8; i++) {
            words[i] = window.loadAcquire(offset + i * 8L);
        }
        if (words[0] != MAGIC) {
            throw new DamagedRegionException("attach to region: no Bascule region here (first word is 0x"
                    + Long.toHexString(words[0]) + "); start the host first, or name its run directory");
        }
        if (words[7] != Lines.digest(words, offset)) {
            throw new DamagedRegionException(
                    "attach to region: its header is damaged (digest differs); restart the host");
        }
        return words;
    }

    /**
     * Host: whether a former host laid this memory out as this header says; false if nothing is there yet.
     *
     * @throws DamagedRegionException if anything else is there: an agent can seal a header as well as a host
     */
    public boolean isOn(Window window, long offset) {
        window.invalidateLine(offset);
        if (window.loadAcquire(offset) == 0) {
            return false;
        }
        RegionHeader found;
        try {
            found = read(window, offset, kind);
        } catch (DamagedRegionException e) {
            throw e;
        } catch (AgentException e) {
            throw new DamagedRegionException("take over region: " + e.getMessage(), e);
        }
        if (!found.equals(this)) {
            throw new DamagedRegionException("take over region: a former host laid it out as " + found
                    + ", wanted is " + this + "; use the same options, or another run directory");
        }
        return true;
    }

    private static EnclaveShape shape(long[] words) {
        int cpus = (int) (words[2] >>> 32);
        Topology topology = words[6] == 0
                ? Topology.flat(cpus)
                : new Topology(cpus, (int) (words[6] >>> 32), (int) words[6]);
        return new EnclaveShape(cpus, (int) words[2], (int) (words[3] >>> 32), (int) words[3],
                (int) (words[4] >>> 32), topology);
    }
}
