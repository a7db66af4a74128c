package dev.bascule.workload.experiment;

import dev.bascule.policy.TieringAgent;
import dev.bascule.workload.experiment.Figure.Published;
import java.util.List;
import java.util.SplittableRandom;

/** (e): memory tiering by access bits: footprint saved against slowdown. */
final class WaveMemory {
    private static final int BATCHES = 4_096;
    private static final int PAGES = 64;
    private static final int PERIODS = 400;
    private static final int WARM_UP = 100;
    private static final double HOT_SHARE = 0.15;
    private static final double HOT_PER_PERIOD = 30;
    private static final double COLD_PER_PERIOD = 0.002;
    private static final int DRIFT_PERIODS = 50;
    private static final long PERIOD_NANOS = 300_000_000;

    private final Lab lab;

    WaveMemory(Lab lab) {
        this.lab = lab;
    }

    Section run() {
        SplittableRandom random = new SplittableRandom(17);
        TieringAgent agent = new TieringAgent(BATCHES, 3, 0.01, 23);
        double[] rate = new double[BATCHES];
        int[] due = new int[BATCHES];
        double[] pending = new double[BATCHES];
        double fast = 0;
        double slow = 0;
        double all = 0;
        double resident = 0;
        long moves = 0;
        long scansBefore = 0;
        boolean[] was = new boolean[BATCHES];
        for (int period = 0; period < PERIODS; period++) {
            if (period % DRIFT_PERIODS == 0) {
                drift(rate, random, period == 0 ? 1 : 0.05);
            }
            double slowNow = 0;
            double allNow = 0;
            for (int batch = 0; batch < BATCHES; batch++) {
                int accesses = poisson(random, rate[batch]);
                pending[batch] += accesses;
                allNow += accesses;
                slowNow += agent.isCold(batch) ? accesses : 0;
                if (due[batch]-- <= 0) {
                    due[batch] = agent.scanned(batch, (int) Math.min(PAGES, pending[batch])) - 1;
                    pending[batch] = 0;
                }
                moves += period >= WARM_UP && was[batch] != agent.isCold(batch) ? 1 : 0;
                was[batch] = agent.isCold(batch);
                resident += period >= WARM_UP && !agent.isCold(batch) ? 1 : 0;
            }
            agent.observe(allNow == 0 ? 0 : slowNow / allNow);
            if (period == WARM_UP) {
                scansBefore = agent.scans();
            }
            slow += period >= WARM_UP ? slowNow : 0;
            all += period >= WARM_UP ? allNow : 0;
            fast += period >= WARM_UP ? allNow - slowNow : 0;
        }
        int measured = PERIODS - WARM_UP;
        double saved = (1 - resident / ((double) measured * BATCHES)) * 100;
        double scansPerPeriod = (agent.scans() - scansBefore) / (double) measured;
        double bytes = scansPerPeriod * PAGES * 8 * 1e9 / PERIOD_NANOS;
        return section(saved, slow / Math.max(1, all) * 100, scansPerPeriod / BATCHES * 100, bytes,
                moves / (double) measured, fast);
    }

    private Section section(double saved, double slow, double scanned, double bytes, double moves, double fast) {
        double link = lab.profile().value("link.dmaBandwidth");
        return new Section("e", "memory: hot and cold batches by access bits, Thompson sampling over scan intervals",
                BATCHES + " batches of " + PAGES + " pages, " + HOT_SHARE * 100 + " % of them hot, a twentieth changes "
                        + "every " + DRIFT_PERIODS + " periods of 300 ms (the time base of SOL's scans); a made-up "
                        + "trace: RocksDB's was not at hand. Not over the byte-level DMA queue: its bandwidth only. "
                        + "Host cores saved are not predicted, since no cost of a scan on the host was at hand",
                List.of(new Figure("fast memory saved", "%", saved, Published.of(79,
                        "Wave, RocksDB footprint, arXiv:2603.13750 section 2.4", "second-hand")),
                        Figure.of("accesses that went to slow memory", "%", slow),
                        Figure.of("accesses to fast memory", "accesses", fast),
                        Figure.of("batches scanned per period, of all", "%", scanned),
                        Figure.of("access bits over the DMA queue", "MB/s", bytes / 1e6),
                        Figure.of("share of the link's bandwidth", "%", bytes / link * 100),
                        Figure.of("migrations", "batches per period", moves)));
    }

    private static void drift(double[] rate, SplittableRandom random, double share) {
        for (int batch = 0; batch < rate.length; batch++) {
            if (random.nextDouble() < share) {
                rate[batch] = random.nextDouble() < HOT_SHARE ? HOT_PER_PERIOD : COLD_PER_PERIOD;
            }
        }
    }

    private static int poisson(SplittableRandom random, double mean) {
        double limit = StrictMath.exp(-mean);
        double product = 1 - random.nextDouble();
        int count = 0;
        while (product > limit) {
            product *= 1 - random.nextDouble();
            count++;
        }
        return count;
    }
}
