package dev.bascule.study.compare;

import dev.bascule.agent.Mechanism;
import java.util.SplittableRandom;

/** The tasks of a {@link SoloHost}: as many as the load wants, killed and moved against the agent's will. */
final class SoloTasks {
    private static final int NONE = Mechanism.NONE;
    private static final long BEHIND_NANOS = 1_000_000;
    private static final int MOST_AT_ONCE = 4;

    private final Mechanism mechanism;
    private final SoloLedger ledger;
    private final int cpus;
    private final SplittableRandom random;
    private final long[] changedNanos;
    private final int[] live;
    private int liveCount;
    private long nextChangeNanos;
    private boolean killNext;

    /** @param changedNanos takes the time of each task's last change */
    SoloTasks(Mechanism mechanism, SoloLedger ledger, int cpus, long[] changedNanos, long seed) {
        this.mechanism = mechanism;
        this.ledger = ledger;
        this.cpus = cpus;
        this.changedNanos = changedNanos;
        random = new SplittableRandom(seed);
        live = new int[changedNanos.length];
    }

    /** Every task makes room, then as many are there as the load wants. */
    void populate(int wanted, long now) {
        for (int cpu = 0; cpu < cpus; cpu++) {
            int task = mechanism.current(cpu);
            if (task != NONE) {
                mechanism.yielded(task, 0);
                ledger.asks(task);
            }
        }
        while (liveCount > wanted) {
            kill(--liveCount);
        }
        while (liveCount < wanted) {
            create(liveCount++);
        }
        mechanism.commit();
        nextChangeNanos = now;
    }

    /** Waiting tasks are killed and moved in turn, at times that do not depend on anything else; returns how many. */
    int disturb(long now, double changesPerSecond) {
        int changes = 0;
        for (int most = MOST_AT_ONCE; most > 0 && now >= nextChangeNanos; most--) {
            nextChangeNanos += (long) (-Math.log(1 - random.nextDouble()) * 1e9 / changesPerSecond);
            int slot = random.nextInt(liveCount);
            if (ledger.isAsking(live[slot])) {
                change(slot, now);
                changes++;
            }
        }
        nextChangeNanos = Math.max(nextChangeNanos, now - BEHIND_NANOS);
        return changes;
    }

    private void change(int slot, long now) {
        int task = live[slot];
        changedNanos[task] = now;
        killNext = !killNext;
        if (killNext) {
            kill(slot);
            create(slot);
        } else {
            mechanism.setAffinity(task, -1);
        }
        mechanism.commit();
    }

    private void kill(int slot) {
        mechanism.killed(live[slot]);
        ledger.leaves(live[slot]);
    }

    private void create(int slot) {
        live[slot] = mechanism.create(true, -1, 0, 0);
        ledger.asks(live[slot]);
    }
}
