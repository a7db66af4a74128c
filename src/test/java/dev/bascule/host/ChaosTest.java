package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The live host with the production ends, under random faults, judged from outside. A seed decides the setting, the load
 * and the faults, not the order of threads: {@code -Dbascule.chaosSeed=N} runs one seed again and again.
 */
class ChaosTest {
    private static final long MINUTE_NANOS = 60_000_000_000L;

    @TempDir
    private Path directory;

    @Test
    @Tag("chaos")
    void forAsLongAsAskedNoJobIsLostAndNoTaskRunsTwice() throws Exception {
        ChaosTotals totals = storm(Long.getLong("bascule.chaosMinutes", 1) * MINUTE_NANOS);
        if (Long.getLong("bascule.chaosSeed") == null) {
            for (ChaosFault fault : ChaosFault.values()) {
                assertThat(totals.of(fault)).as("faults injected: %s", fault).isPositive();
            }
        }
    }

    private ChaosTotals storm(long nanos) throws Exception {
        Long only = Long.getLong("bascule.chaosSeed");
        long seed = only != null ? only : new SplittableRandom().nextLong() & 0xffff_ffffL;
        System.out.println("chaos, first seed " + seed);
        ChaosTotals totals = new ChaosTotals();
        long end = System.nanoTime() + nanos;
        int rounds = 0;
        for (; rounds == 0 || System.nanoTime() < end; rounds++) {
            ChaosPlan plan = ChaosPlan.of(seed);
            ChaosScenario scenario = new ChaosScenario(plan, Files.createDirectory(directory.resolve("r" + rounds)));
            var findings = scenario.run();
            System.out.println("seed " + seed + ": " + plan + ": " + scenario.totals());
            assertThat(findings)
                    .as("seed %d: %s; again: scripts/test --only --chaos 1 --chaos-seed %d", seed, plan, seed)
                    .isEmpty();
            totals.addAll(scenario.totals());
            seed += only != null ? 0 : 1;
        }
        System.out.println("chaos, " + rounds + " seeds: " + totals);
        return totals;
    }
}
