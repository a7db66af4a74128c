package dev.bascule.host;

/** Jobs at one interval, counted from the first look. */
final class PacedJobs implements JobSource {
    private final long intervalNanos;
    private final int jobs;
    private long start;
    private boolean started;
    private int next;

    PacedJobs(long intervalNanos, int jobs) {
        if (intervalNanos < 0 || jobs < 0) {
            throw new IllegalArgumentException("jobs: " + jobs + ", one every " + intervalNanos + " ns");
        }
        this.intervalNanos = intervalNanos;
        this.jobs = jobs;
    }

    @Override
    public long nextDueNanos() {
        if (!started) {
            started = true;
            start = System.nanoTime();
        }
        return next == jobs ? NO_MORE : start + next * intervalNanos;
    }

    @Override
    public int take() {
        return next++;
    }

    @Override
    public void rejected(int job) {
        throw new IllegalStateException("no room for job " + job + " of " + jobs + ", one every " + intervalNanos
                + " ns; serve fewer, or raise LiveOptions.backlog");
    }
}
