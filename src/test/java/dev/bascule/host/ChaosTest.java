package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The live host with the production ends, under random faults, judged from outside. A seed decides the setting, the load
 * and the faults, not the order of threads: {@code -Dbascule.chaosSeed=N} runs one seed again and again.
 */
class ChaosTest {
    private static final long MINUTE_NANOS = 60_000_000_000L;
    /** Long enough that every fault is met. */
    private static final long THOROUGH_MINUTES = 5;

    /**
     * Every transport, 1 to 8 CPUs, both ways to wait, hosts that end and hosts that crash, two enclaves; the last one made
     * no progress once.
     */
    private static final long[] SHORT = { 3, 9, 19, 24, 27, 32, 34, 38, 44, 55, 61, 66, 67, 248, 342, 3_725_939_096L };
    private static final long[] PROCESSES = { 17, 23 };

    @TempDir
    private Path directory;

    private final ChaosTotals totals = new ChaosTotals();
    private final Map<String, Integer> settings = new TreeMap<>();
    private final Map<Integer, Integer> cpus = new TreeMap<>();
    private int rounds;

    @Test
    void aFewSeedsAndARandomOneLoseNoJobAndRunNoTaskTwice() throws Exception {
        for (long seed : SHORT) {
            run(ChaosPlan.of(seed));
        }
        long random = firstFrom(new SplittableRandom().nextLong() & 0xffff_ffffL, false);
        run(ChaosPlan.of(random));
        summary("fixed seeds and " + random);
    }

    @Test
    @Tag("process")
    void agentsAsProcessesThatAreKilledAndStoppedLoseNoJob() throws Exception {
        for (long seed : PROCESSES) {
            run(ChaosPlan.of(seed));
        }
        long random = firstFrom(new SplittableRandom().nextLong() & 0xffff_ffffL, true);
        run(ChaosPlan.of(random));
        for (int more = 0; signals() == 0 && more < 20; more++) { // where no agent came to decide: a busy machine
            random = firstFrom(random + 1, true);
            run(ChaosPlan.of(random));
        }
        summary("fixed seeds and to " + random);
        assertThat(signals()).as("signals sent").isPositive();
    }

    private long signals() {
        return totals.of(ChaosFault.PROCESS_KILLED) + totals.of(ChaosFault.PROCESS_STOPPED);
    }

    private static long firstFrom(long seed, boolean processes) {
        long next = seed;
        while (ChaosPlan.of(next).processes() != processes) {
            next++;
        }
        return next;
    }

    @Test
    @Tag("chaos")
    void forAsLongAsAskedNoJobIsLostAndNoTaskRunsTwice() throws Exception {
        Long only = Long.getLong("bascule.chaosSeed");
        long minutes = Long.getLong("bascule.chaosMinutes", 1);
        long first = only != null ? only : new SplittableRandom().nextLong() & 0xffff_ffffL;
        System.out.println("chaos: " + minutes + " minutes, seeds from " + first);
        long end = System.nanoTime() + minutes * MINUTE_NANOS;
        long seed = first;
        while (rounds == 0 || System.nanoTime() < end) {
            run(ChaosPlan.of(seed));
            seed += only != null ? 0 : 1;
        }
        summary(only != null ? "seed " + first : "seeds " + first + " to " + (seed - 1));
        for (ChaosFault fault : ChaosFault.values()) {
            assertThat(totals.of(fault)).as("faults injected: %s", fault)
                    .isGreaterThanOrEqualTo(only == null && minutes >= THOROUGH_MINUTES ? 1 : 0);
        }
    }

    private void run(ChaosPlan plan) throws Exception {
        ChaosTotals own = new ChaosTotals();
        Path region = Files.createDirectory(directory.resolve("r" + rounds));
        List<String> findings = findings(plan, region, own);
        rounds++;
        System.out.println("seed " + plan.seed() + ": " + plan + ": " + own.faults());
        if (!findings.isEmpty()) {
            System.out.println("chaos: finding with seed " + plan.seed() + ": " + plan);
            findings.forEach(finding -> System.out.println("chaos:   " + finding));
            System.out.println("chaos:   faults: " + own.faults());
            System.out.println("chaos:   again: scripts/test --only --chaos 5 --chaos-seed " + plan.seed());
        }
        assertThat(findings).as("seed %d: %s; again: scripts/test --only --chaos 5 --chaos-seed %d", plan.seed(), plan,
                plan.seed()).isEmpty();
        totals.addAll(own);
        settings.merge(plan.setting(), 1, Integer::sum);
        cpus.merge(plan.shape().cpus(), 1, Integer::sum);
    }

    /** What ends a run by an exception is a finding too: it needs the seed as much. */
    private static List<String> findings(ChaosPlan plan, Path region, ChaosTotals own) throws Exception {
        try {
            return plan.hasEnclaves()
                    ? new ChaosEnclaves(plan, region, own).run()
                    : new ChaosScenario(plan, region, own).run();
        } catch (RuntimeException | AssertionError e) {
            return List.of(e.toString(), "last: " + own.trail());
        }
    }

    private void summary(String seeds) {
        System.out.println("chaos: " + rounds + " runs, " + seeds + "; settings " + settings + ", by CPUs " + cpus);
        System.out.println("chaos: faults injected: " + totals.faults());
        System.out.println("chaos: " + totals.counts());
    }
}
