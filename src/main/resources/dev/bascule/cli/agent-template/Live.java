package @PACKAGE@;

import dev.bascule.host.JobSource;
import dev.bascule.host.LiveHost;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs the policy live: emulated CPUs with real jobs, the agent behind a simulated SmartNIC's memory. */
public final class Live {
    private static final int JOBS = 1_000;

    private Live() {}

    /** Ends with status 1 if a job was lost. */
    public static void main(String[] args) throws InterruptedException {
        AtomicInteger wave = new AtomicInteger();
        try (LiveHost host = LiveHost.wave(@POLICY@::new, 2, (job, yield) -> wave.incrementAndGet())) {
            host.serve(JobSource.every(20_000, JOBS), 30_000_000_000L);
        }
        AtomicInteger swap = new AtomicInteger();
        try (LiveHost host = LiveHost.swap(@POLICY@::new, 2, (job, yield) -> swap.incrementAndGet())) {
            host.serve(JobSource.every(20_000, JOBS), 30_000_000_000L);
        }
        System.out.println("jobs done of " + JOBS + ": " + wave + " over wave, " + swap + " over swap");
        if (wave.get() != JOBS || swap.get() != JOBS) {
            System.exit(1);
        }
    }
}
