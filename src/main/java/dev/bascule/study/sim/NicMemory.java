package dev.bascule.study.sim;

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
    private final SwappedWords swapped;
    private long lineNanos;
    private boolean instant = true;

    NicMemory(long bytes) {
        nic = new long[Math.toIntExact(bytes >> 3)];
        seen = new long[nic.length];
        swapped = new SwappedWords(nic.length);
    }

    /** The link is coherent: a line that the other side has changed takes so long to come. */
    void coherent(long nanos) {
        lineNanos = nanos;
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
        swapped.stored(word);
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
            swapped.storedLine(line * 8);
        } else {
            for (int left = which; left != 0; left &= left - 1) {
                int i = Integer.numberOfTrailingZeros(left);
                seen[line * 8 + i] = from[at + i];
                swapped.stored(line * 8 + i);
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

    @Override
    public long compareAndSwap(SimTime time, int word, long expected, long next) {
        return compareAndSwap(time, false, word, expected, next);
    }

    /** The host's, over a coherent link. */
    long compareAndSwapFromHost(SimTime time, int word, long expected, long next) {
        return compareAndSwap(time, true, word, expected, next);
    }

    private long compareAndSwap(SimTime time, boolean byHost, int word, long expected, long next) {
        if (!instant) {
            time.charge(swapped.isOthers(word, byHost) ? lineNanos : 0);
            time.set(swapped.fromNanos(word, time.nanoTime()));
        }
        long now = time.nanoTime();
        if (byHost) {
            toHost.apply(now, seen);
        }
        long found = swapped.value(word, seen[word]);
        if (found == expected) {
            swapped.swapped(word, now, next, byHost);
            seen[word] = byHost || instant ? next : seen[word];
            nic[word] = !byHost || instant ? next : nic[word];
            if (!instant && byHost) {
                toNic.post(Math.max(now + lineNanos, toNic.lastNanos()), word, next); // behind its stores
            } else if (!instant) {
                toHost.post(now, word, next);
            }
        }
        return found;
    }
}
