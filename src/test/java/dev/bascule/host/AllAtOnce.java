package dev.bascule.host;

/** So many jobs, numbered from 0, all due from the start; none may be refused. */
final class AllAtOnce implements JobSource {
    private final int jobs;
    private final long start = System.nanoTime();
    private int next;

    AllAtOnce(int jobs) {
        this.jobs = jobs;
    }

    @Override
    public long nextDueNanos() {
        return next == jobs ? NO_MORE : start;
    }

    @Override
    public int take() {
        return next++;
    }

    @Override
    public void rejected(int job) {
        throw new AssertionError("no job may be refused: " + job);
    }
}
