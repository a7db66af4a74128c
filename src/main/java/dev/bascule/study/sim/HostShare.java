package dev.bascule.study.sim;

/** The jobs that a load balancer has given to one host of a cluster, on their way over the wire until they arrive. */
final class HostShare implements SimLoad {
    private final SimLoad all;
    private final SimCluster.Answers answers;
    private final LongRing jobs = new LongRing(64);

    /** A share of that load; {@code answers} hears of each job that is done, or refused. */
    HostShare(SimLoad all, SimCluster.Answers answers) {
        this.all = all;
        this.answers = answers;
    }

    /** A job will arrive; later ones arrive later. */
    void give(long arrivalNanos, SimJob job) {
        jobs.add(arrivalNanos);
        jobs.add(job.jobClass());
        jobs.add(job.demandNanos());
        jobs.add(job.deadlineNanos());
        jobs.add(job.expectedNanos());
        jobs.add(job.pauseAfterNanos());
        jobs.add(job.pauseNanos());
    }

    @Override
    public int classes() {
        return all.classes();
    }

    @Override
    public long expectedNanos(int jobClass) {
        return all.expectedNanos(jobClass);
    }

    @Override
    public long nextArrivalNanos() {
        return jobs.isEmpty() ? NO_MORE : jobs.peek();
    }

    @Override
    public void take(SimJob job) {
        jobs.poll();
        job.set((int) jobs.poll(), jobs.poll()).deadline(jobs.poll()).expected(jobs.poll())
                .pause(jobs.poll(), jobs.poll());
    }

    @Override
    public void finished(int jobClass, long nowNanos) {
        answers.answered(nowNanos);
    }
}
