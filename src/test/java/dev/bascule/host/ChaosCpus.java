package dev.bascule.host;

import dev.bascule.host.HostCpus.Change;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** Takes and unplugs CPUs of a host, one at a time, until it is told to end; all are back then. */
final class ChaosCpus implements Runnable {
    private final ChaosPlan plan;
    private final HostCpus cpus;
    private final ChaosLoad load;
    private final ChaosTotals totals;
    private final SplittableRandom random;
    private final Thread thread;
    private volatile boolean stop;

    ChaosCpus(ChaosPlan plan, HostCpus cpus, ChaosLoad load, ChaosTotals totals, SplittableRandom random) {
        this.plan = plan;
        this.cpus = cpus;
        this.load = load;
        this.totals = totals;
        this.random = random;
        thread = Thread.ofPlatform().daemon().name("chaos-cpus").unstarted(this);
        if (plan.cpuFaults() > 0) {
            thread.start();
        }
    }

    @Override
    public void run() {
        while (!stop) {
            LockSupport.parkNanos(random.nextLong(10_000_000));
            boolean unplug = plan.mayUnplug() && random.nextBoolean();
            int cpu = random.nextInt(plan.shape().cpus());
            cpus.change(cpu, unplug ? Change.OFFLINE : Change.TAKE);
            while (!stop && !cpus.isIdle(cpu)) {
                LockSupport.parkNanos(50_000);
            }
            if (!stop) {
                totals.add(unplug ? ChaosFault.CPU_UNPLUGGED : ChaosFault.CPU_TAKEN);
                load.setAway(cpu, true);
                LockSupport.parkNanos(random.nextLong(10_000_000));
                load.setAway(cpu, false);
            }
            cpus.change(cpu, unplug ? Change.ONLINE : Change.GIVE);
        }
    }

    /** Before the host closes. */
    void end() throws InterruptedException {
        stop = true;
        thread.join();
    }
}
