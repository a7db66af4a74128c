package dev.bascule.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

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
    private final AtomicIntegerArray away;
    private volatile boolean cut;

    /** @param taskOnCpu by CPU, for all hosts on the machine: the task that runs there and one; 0: none */
    ChaosLoad(ChaosPlan plan, ChaosTotals totals, AtomicIntegerArray taskOnCpu) {
        this.taskOnCpu = taskOnCpu;
        this.plan = plan;
        this.totals = totals;
        jobs = plan.jobs();
        offered = new AtomicIntegerArray(jobs);
        refused = new AtomicIntegerArray(jobs);
        begun = new AtomicIntegerArray(jobs);
        ended = new AtomicIntegerArray(jobs);
        answers = new AtomicLongArray(jobs);
        jobOfTask = new AtomicIntegerArray(plan.shape().tasks());
        away = new AtomicIntegerArray(plan.shape().cpus());
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

    /** The CPU is away and runs nothing any more, or may run something again. */
    void setAway(int cpu, boolean isAway) {
        away.set(cpu, isAway ? 1 : 0);
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
        SplittableRandom manners = new SplittableRandom(plan.seed() * 17 + job);
        long mask = plan.affinityOf(task.id);
        long sum = 0;
        for (int step = steps(job); step > 0; step--) {
            sum += segment(task, random, mask);
            if (cut) {
                return;
            }
            if (step > 1) {
                mask = between(task, manners, mask);
            }
        }
        if (mask != plan.affinityOf(task.id)) {
            task.setAffinity(plan.affinityOf(task.id));
        }
        answers.set(job, sum);
        ended.incrementAndGet(job);
        expect(jobOfTask.compareAndSet(task.id, job + 1, 0), "task " + task.id + " lost job " + job);
    }

    /** What a job does between two segments; the CPUs that it may use then. */
    private long between(LiveTask task, SplittableRandom manners, long mask) {
        switch (plan.restless() ? manners.nextInt(32) : 0) {
            case 1, 2 -> {
                totals.add(ChaosCount.GAVE_WAY, 1);
                task.giveWay();
            }
            case 3 -> {
                totals.add(ChaosCount.WAITED, 1);
                long nanos = manners.nextLong(300_000);
                task.await(() -> {
                    LockSupport.parkNanos(nanos);
                    return nanos;
                });
            }
            case 4 -> {
                return plan.mayUnplug() ? mask : move(task, manners);
            }
            default -> task.maybeYield();
        }
        return mask;
    }

    private long move(LiveTask task, SplittableRandom manners) {
        totals.add(ChaosCount.MOVED, 1);
        long mask = 1L << manners.nextInt(plan.shape().cpus()) | manners.nextLong(1L << plan.shape().cpus());
        task.setAffinity(mask);
        return mask;
    }

    private static int steps(int job) {
        return job % 7 == 0 ? 12 : 1 + job % 3;
    }

    private long segment(LiveTask task, SplittableRandom random, long mask) {
        int cpu = task.cpuId();
        if (cut) {
            return 0;
        }
        expect((mask >>> cpu & 1) != 0, "task " + task.id + " on CPU " + cpu + ", not allowed");
        expect(away.get(cpu) == 0, "task " + task.id + " on CPU " + cpu + ", which is away");
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
