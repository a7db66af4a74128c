package dev.bascule.agent;

/** The host's truth about its tasks, for models in other packages. Nothing is decided here. */
public final class Truth {
    private final Mechanism mechanism;

    /** The truth behind a mechanism. */
    public Truth(Mechanism mechanism) {
        this.mechanism = mechanism;
    }

    /** The production rule by itself. */
    public Outcome check(Transaction decision) {
        return mechanism.table.check(decision);
    }

    /** The second half of {@link Mechanism#decide} by itself. */
    public void start(int task, int cpu) {
        mechanism.start(task, cpu, 0);
    }

    /** Whether the task can be given a CPU. */
    public boolean isRunnable(int task) {
        return mechanism.table.state(task) == TaskTable.RUNNABLE;
    }

    /** Whether the task waits for something. */
    public boolean isBlocked(int task) {
        return mechanism.table.state(task) == TaskTable.BLOCKED;
    }

    /** Whether there is no such task. */
    public boolean isFree(int task) {
        return mechanism.table.state(task) == TaskTable.FREE;
    }
}
