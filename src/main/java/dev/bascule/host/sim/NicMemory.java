package dev.bascule.host.sim;

/**
 * NIC memory as its two sides know it at a moment: the NIC's own content, which the host's posted writes reach late, and
 * what a read of the host would find, which the NIC's own stores reach when its core gets that far. So no side sees
 * anything before its time, although the simulation runs one step after another.
 */
final class NicMemory implements CoherentMemory {
    final long[] nic;
    final long[] seen;
    final PostedWrites toNic = new PostedWrites();
    final PostedWrites toHost = new PostedWrites();
    private static final int REMEMBERED = 8;
    private final long[] leftNanos = new long[REMEMBERED];
    private final long[] arriveNanos = new long[REMEMBERED];
    private int writes;
    private boolean instant = true;

    NicMemory(long bytes) {
        nic = new long[Math.toIntExact(bytes >> 3)];
        seen = new long[nic.length];
    }

    /** The region is laid out; from now on, words take their time. */
    void begin() {
        instant = false;
    }

    boolean isInstant() {
        return instant;
    }

    @Override
    public int words() {
        return nic.length;
    }

    @Override
    public long load(long nowNanos, int word) {
        toNic.apply(nowNanos, nic);
        return nic[word];
    }

    /** A posted write leaves the host now and arrives then: a read that leaves later does not overtake it (PCIe, section 2.4.1). */
    void leaves(long nowNanos, long arrivalNanos) {
        leftNanos[writes & REMEMBERED - 1] = nowNanos;
        arriveNanos[writes++ & REMEMBERED - 1] = arrivalNanos;
    }

    /** When the last write arrives that left by {@code nowNanos}; cores are simulated somewhat ahead of each other. */
    long pushedNanos(long nowNanos) {
        for (int i = 1; i <= REMEMBERED; i++) {
            int at = writes - i & REMEMBERED - 1;
            if (leftNanos[at] <= nowNanos) {
                return arriveNanos[at];
            }
        }
        return 0;
    }

    void storeFromHost(long arrivalNanos, int word, long value) {
        seen[word] = value;
        if (instant) {
            nic[word] = value;
        } else {
            toNic.post(arrivalNanos, word, value);
        }
    }

    @Override
    public void loadLine(long nowNanos, int word, long[] into, int at) {
        toNic.apply(nowNanos, nic);
        System.arraycopy(nic, word, into, at, 8);
    }

    /** Those words of a line that {@code which} has a bit for. */
    void storeFromHost(long arrivalNanos, int line, int which, long[] from, int at) {
        if (which == 0xff) {
            System.arraycopy(from, at, seen, line * 8, 8);
        } else {
            for (int left = which; left != 0; left &= left - 1) {
                int i = Integer.numberOfTrailingZeros(left);
                seen[line * 8 + i] = from[at + i];
            }
        }
        toNic.post(arrivalNanos, line, which, from, at);
    }

    @Override
    public void storeLine(long nowNanos, int word, long[] from, int at) {
        System.arraycopy(from, at, nic, word, 8);
        if (instant) {
            System.arraycopy(from, at, seen, word, 8);
        } else {
            toHost.post(nowNanos, word >>> 3, 0xff, from, at);
        }
    }

    @Override
    public void store(long nowNanos, int word, long value) {
        nic[word] = value;
        if (instant) {
            seen[word] = value;
        } else {
            toHost.post(nowNanos, word, value);
        }
    }
}
