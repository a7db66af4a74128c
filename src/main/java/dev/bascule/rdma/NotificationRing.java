package dev.bascule.rdma;

import dev.bascule.ffi.RawWords;

/**
 * An agent's end of its bells: rings for a CPU of the host as long as the host has receives for it. A bell that must wait
 * for one is kept, once a CPU, and rung at a later fence.
 * <p>
 * Thread rule: the agent's. Allocation-free.
 */
final class NotificationRing {
    private static final int MOST_CPUS = 1 << 16;

    private final Mirror mirror;
    private final MirrorLink link;
    private final long[] waiting = new long[MOST_CPUS >> 6];
    private int kept;
    private long rung;

    NotificationRing(Mirror mirror, MirrorLink link) {
        this.mirror = mirror;
        this.link = link;
    }

    void ring(long cpu) {
        if (hasCredit() && kept == 0) {
            rung++;
            link.ring((int) cpu);
        } else {
            keep((int) cpu);
            ringKept();
        }
    }

    private boolean hasCredit() {
        long heard = RawWords.loadAcquire(mirror.address() + BellListener.HEARD);
        return rung - heard < MirrorLink.BELLS;
    }

    private void keep(int cpu) {
        long bit = 1L << cpu;
        if ((waiting[cpu >> 6] & bit) == 0) {
            waiting[cpu >> 6] |= bit;
            kept++;
        }
    }

    /** Rings what was kept, as far as the host takes it. */
    void ringKept() {
        for (int word = 0; kept > 0 && word < waiting.length; word++) {
            while (waiting[word] != 0 && hasCredit()) {
                int cpu = word << 6 | Long.numberOfTrailingZeros(waiting[word]);
                waiting[word] &= waiting[word] - 1;
                kept--;
                rung++;
                link.ring(cpu);
            }
        }
    }
}
