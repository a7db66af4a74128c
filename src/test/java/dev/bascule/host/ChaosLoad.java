package dev.bascule.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The load and the two oracles outside the host: what was offered, refused, begun and answered, for every job; and which
 * task each CPU runs, kept by the jobs themselves: a job claims its CPU between two yield points.
 */
final class ChaosLoad implements JobSource, JobRunner {
    private static final int MOST_FINDINGS = 20;

    private final ChaosPlan plan;
    private final int jobs;
    private final AtomicIntegerArray offered;
    private final AtomicIntegerArray refused;
    private final AtomicIntegerArray begun;
    private final AtomicIntegerArray ended;
    private final AtomicLongArray answers;
    private final AtomicIntegerArray jobOfTask;
    private final AtomicIntegerArray taskOnCpu;
    private final ChaosTotals totals;
    private final Queue<String> findings = new ConcurrentLinkedQueue<>();
    private final long startNanos = System.nanoTime();
    private volatile int next;
    private volatile boolean cut;

    ChaosLoad(ChaosPlan plan, ChaosTotals totals) {
        this.plan = plan;
        this.totals = totals;
        jobs = plan.jobs();
        offered = new AtomicIntegerArray(jobs);
        refused = new AtomicIntegerArray(jobs);
        begun = new AtomicIntegerArray(jobs);
        ended = new AtomicIntegerArray(jobs);
        answers = new AtomicLongArray(jobs);
        jobOfTask = new AtomicIntegerArray(plan.shape().tasks());
        taskOnCpu = new AtomicIntegerArray(plan.shape().cpus());
    }

    @Override
    public long nextDueNanos() {
        return next == jobs ? NO_MORE : startNanos + next * plan.gapNanos();
    }

    @Override
    public int take() {
        int job = next;
        next = job + 1;
        offered.incrementAndGet(job);
        return job;
    }

    @Override
    public void rejected(int job) {
        refused.incrementAndGet(job);
    }

    /** The host crashes: what is open stays open, and nothing more is judged. */
    void cutOff() {
        cut = true;
    }

    /** Whether jobs that were offered have not ended. */
    boolean isAtWork() {
        for (int job = Math.max(0, next - 64); job < next; job++) {
            if (ended.get(job) == 0 && refused.get(job) == 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void run(int job, YieldPoint yield) {
        LiveTask task = (LiveTask) yield;
        SplittableRandom random = new SplittableRandom(plan.seed() * 31 + job);
        expect(jobOfTask.compareAndSet(task.id, 0, job + 1),
                "task " + task.id + " carries two jobs, one of them " + job);
        expect(begun.incrementAndGet(job) == 1, "job " + job + " begun again");
        long sum = 0;
        for (int step = steps(job); step > 0; step--) {
            sum += segment(task, random);
            if (cut) {
                return;
            }
            if (step > 1) {
                task.maybeYield();
            }
        }
        answers.set(job, sum);
        ended.incrementAndGet(job);
        expect(jobOfTask.compareAndSet(task.id, job + 1, 0), "task " + task.id + " lost job " + job);
    }

    private static int steps(int job) {
        return job % 7 == 0 ? 12 : 1 + job % 3;
    }

    private long segment(LiveTask task, SplittableRandom random) {
        int cpu = task.cpuId();
        if (cut) {
            return 0;
        }
        expect((plan.affinityOf(task.id) >>> cpu & 1) != 0, "task " + task.id + " on CPU " + cpu + ", not allowed");
        int before = taskOnCpu.compareAndExchange(cpu, 0, task.id + 1);
        occupied(before == 0, "CPU " + cpu + " runs task " + (before - 1) + " and task " + task.id);
        long word = random.nextLong();
        long until = System.nanoTime() + random.nextInt(8_000);
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
        occupied(task.cpuId() == cpu, "task " + task.id + " on CPU " + cpu + " and on CPU " + task.cpuId());
        occupied(before != 0 || taskOnCpu.compareAndSet(cpu, task.id + 1, 0), "CPU " + cpu + " was taken from task "
                + task.id);
        return word;
    }

    private void occupied(boolean holds, String finding) {
        totals.add(ChaosCount.OCCUPANCY, holds || cut ? 0 : 1);
        expect(holds, finding);
    }

    private void expect(boolean holds, String finding) {
        if (!holds && !cut && findings.size() < MOST_FINDINGS) {
            findings.add(finding);
        }
    }

    /** What went wrong so far. */
    List<String> findings() {
        return List.copyOf(findings);
    }

    /** What went wrong, after all jobs ended or the host was cut off. */
    List<String> audit() {
        List<String> all = new ArrayList<>(findings);
        for (int job = 0; job < jobs; job++) {
            String wrong = count(job);
            if (!wrong.isEmpty() && all.size() < MOST_FINDINGS) {
                all.add("job " + job + wrong);
            }
        }
        return all;
    }

    private String count(int job) {
        boolean open = refused.get(job) + ended.get(job) == 0;
        totals.add(ChaosCount.OFFERED, offered.get(job));
        totals.add(ChaosCount.ANSWERED, ended.get(job));
        totals.add(ChaosCount.REFUSED, refused.get(job));
        totals.add(ChaosCount.CUT_OFF, open && cut ? offered.get(job) : 0);
        totals.add(ChaosCount.LOST, open && !cut ? 1 : 0);
        boolean twice = offered.get(job) > 1 || begun.get(job) + refused.get(job) > 1 || ended.get(job) > 1;
        totals.add(ChaosCount.DUPLICATED, twice ? 1 : 0);
        if (twice || open && !cut || ended.get(job) > begun.get(job)) {
            return ": offered " + offered.get(job) + ", refused " + refused.get(job) + ", begun " + begun.get(job)
                    + ", ended " + ended.get(job);
        }
        return ended.get(job) == 1 && answers.get(job) != answer(job) ? ": wrong answer" : "";
    }

    /** By replay, without the host. */
    private long answer(int job) {
        SplittableRandom random = new SplittableRandom(plan.seed() * 31 + job);
        long sum = 0;
        for (int step = steps(job); step > 0; step--) {
            sum += random.nextLong();
            random.nextInt(8_000);
        }
        return sum;
    }

    /** Jobs that are open, for a report of no progress. */
    String open() {
        StringBuilder text = new StringBuilder("offered " + next + " of " + jobs + "; open:");
        int shown = 0;
        for (int job = 0; job < next && shown < 10; job++) {
            if (ended.get(job) == 0 && refused.get(job) == 0) {
                text.append(' ').append(job).append(begun.get(job) > 0 ? " (begun)" : " (not begun)");
                shown++;
            }
        }
        return text.toString();
    }
}
