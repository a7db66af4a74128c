package dev.bascule.study.compare;

/**
 * Load of a {@link SoloHost}.
 *
 * @param tasks live tasks, all of which always want to run; 0: everything is idle
 * @param serviceNanos how long a task keeps its CPU
 * @param changesPerSecond how often some waiting task is killed (and replaced) or moved
 * @param polling free CPUs poll; off: the host's thread sleeps until the interrupt, for one CPU only
 */
record SoloLoad(int tasks, long serviceNanos, double changesPerSecond, boolean polling) {
    static final SoloLoad IDLE = new SoloLoad(0, 1, 0, true);

    /** This load without changes. */
    SoloLoad calm() {
        return new SoloLoad(tasks, serviceNanos, 0, polling);
    }

    SoloLoad sleeping() {
        return new SoloLoad(tasks, serviceNanos, changesPerSecond, false);
    }
}
