package dev.bascule.run;

import dev.bascule.host.JobRunner;
import dev.bascule.host.JobSource;
import dev.bascule.host.YieldPoint;
import dev.bascule.workload.RequestSource;
import dev.bascule.workload.Service;

/** Joins the workload to the host: requests are jobs, and every step of a request enters its ledger. */
public final class RequestJobs implements JobSource, JobRunner {
    private final Service service;
    private final PointRecorder recorder;
    private final RequestHints hints;
    private volatile RequestSource requests;

    RequestJobs(Service service, PointRecorder recorder, RequestHints hints, RequestSource first) {
        this.hints = hints;
        this.service = service;
        this.recorder = recorder;
        requests = first;
    }

    /** The next load point's requests; only while none is under way. */
    void use(RequestSource next) {
        requests = next;
    }

    @Override
    public long nextDueNanos() {
        return requests.nextDueNanos();
    }

    @Override
    public int take() {
        return requests.take();
    }

    @Override
    public int classOf(int job) {
        return requests.kindOf(job);
    }

    @Override
    public int niceOf(int job) {
        return hints.nice(requests.kindOf(job));
    }

    @Override
    public long deadlineNanos(int job) {
        RequestSource source = requests;
        return hints.deadlineNanos(source.kindOf(job), source.intendedNanos(job));
    }

    @Override
    public long expectedNanos(int job) {
        return hints.expectedNanos(requests.kindOf(job));
    }

    @Override
    public long affinityOf(int job) {
        return hints.cpus(requests.kindOf(job));
    }

    @Override
    public void rejected(int job) {
        requests.ledger().rejected(job);
    }

    @Override
    public void run(int job, YieldPoint yield) {
        RequestSource source = requests;
        source.ledger().started(job);
        int kind = source.kindOf(job);
        int status = service.execute(job, kind, yield);
        recorder.served(kind, System.nanoTime() - source.intendedNanos(job));
        source.ledger().completed(job, status);
    }
}
