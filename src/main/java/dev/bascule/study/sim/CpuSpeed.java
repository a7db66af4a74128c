package dev.bascule.study.sim;

import java.util.Arrays;

/**
 * How fast each CPU works, in thousandths: a busy SMT sibling takes its share, few active cores run in turbo. Only in
 * use when a run has siblings or turbo; then every start and stop may change the speed of others.
 */
final class CpuSpeed {
    static final int FULL = 1000;

    private final int siblings;
    private final boolean turbo;
    private final int smtShare;
    private final int turboGain;
    private final boolean[] busy;
    private final int[] speed;
    private int busyCount;
    private boolean turboOn;

    CpuSpeed(SimOptions options, SimCosts costs) {
        siblings = options.siblings();
        turbo = options.turbo();
        smtShare = (int) Math.round(costs.cores().smtShare() * FULL);
        turboGain = (int) Math.round(costs.cores().turboGain() * FULL);
        busy = new boolean[options.cpus()];
        speed = new int[options.cpus()];
        Arrays.fill(speed, FULL);
        turboOn = turbo;
    }

    boolean isVariable() {
        return siblings > 1 || turbo;
    }

    int of(int cpu) {
        return speed[cpu];
    }

    /** Turbo holds while at most half of the CPUs are busy. Returns whether every CPU's speed changed. */
    boolean set(int cpu, boolean isBusy) {
        if (busy[cpu] == isBusy) {
            return false;
        }
        busy[cpu] = isBusy;
        busyCount += isBusy ? 1 : -1;
        boolean on = turbo && busyCount * 2 <= busy.length;
        boolean changed = on != turboOn;
        turboOn = on;
        return changed;
    }

    /** Computes a CPU's speed anew. */
    void refresh(int cpu) {
        int value = turboOn ? turboGain : FULL;
        if (siblings > 1 && busy[cpu] && (cpu ^ 1) < busy.length && busy[cpu ^ 1]) {
            value = value * smtShare / FULL;
        }
        speed[cpu] = value;
    }
}
