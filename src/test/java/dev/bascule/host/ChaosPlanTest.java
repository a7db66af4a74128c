package dev.bascule.host;

import dev.bascule.house.Golden;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ChaosPlanTest {
    private static final int SEEDS = 2_000;

    /** A seed that was printed a year ago is worth something only while it stands for the same run. */
    @Test
    void aSeedStandsForTheSameRunAsBefore() throws Exception {
        Map<String, Integer> settings = new TreeMap<>();
        Map<String, Integer> rest = new TreeMap<>();
        StringBuilder all = new StringBuilder();
        for (long seed = 0; seed < SEEDS; seed++) {
            ChaosPlan plan = ChaosPlan.of(seed);
            all.append(seed).append(' ').append(plan).append('\n');
            settings.merge(plan.setting(), 1, Integer::sum);
            rest.merge("cpus " + plan.shape().cpus(), 1, Integer::sum);
            rest.merge("agents " + plan.shape().agents(), 1, Integer::sum);
            rest.merge("restarts " + plan.restarts(), 1, Integer::sum);
            rest.merge("cpu faults " + plan.cpuFaults(), 1, Integer::sum);
            rest.merge(plan.processes() ? "agents as processes" : "agents as threads", 1, Integer::sum);
        }
        StringBuilder counts = new StringBuilder(SEEDS + " seeds\n");
        settings.forEach((name, count) -> counts.append(name).append(": ").append(count).append('\n'));
        rest.forEach((name, count) -> counts.append(name).append(": ").append(count).append('\n'));
        Golden.check("chaos-plans.txt", counts + "digest " + Golden.digest(all.toString()) + "\n");
    }
}
