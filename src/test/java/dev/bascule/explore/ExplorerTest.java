package dev.bascule.explore;

import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** The production ends under every schedule within a bound; see {@link Explorer}. */
@Timeout(600)
class ExplorerTest {
    private static final int BOUND = Integer.getInteger("bascule.exploreBound", 2);

    @TestFactory
    List<DynamicTest> everyScheduleWithinTheBound() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String transport : System.getProperty("bascule.exploreTransports", "on-host,wave-pull,wave-push,swap0,swap1").split(",")) {
            for (String scene : System.getProperty("bascule.exploreScenes", "run,withdraw,withdraw second,tick,group,sleep,group asleep,crash,zombie").split(",")) {
                if (transport.equals("swap0") && scene.equals("withdraw second")) {
                    continue; // one decision at a time, once the CPU has asked
                }
                tests.add(DynamicTest.dynamicTest(transport + ": " + scene, () -> explore(transport, scene, 2)));
            }
        }
        return tests;
    }

    private static void explore(String transport, String scene, int depth) throws Exception {
        boolean isReplaced = scene.equals("crash") || scene.equals("zombie"); // long runs: a new epoch is cleared
        int switches = isReplaced ? Math.max(1, BOUND - 1) : BOUND;
        Explorer explorer = new Explorer(new Explorer.Bounds(switches, 1, scene.equals("crash") ? 1 : 0));
        @SuppressWarnings("unchecked")
        Supplier<Explorer.Scene> scenes = (Supplier<Explorer.Scene>) new ExploredClasses()
                .loadClass("dev.bascule.explore.Scenes")
                .getMethod("of", String.class, String.class, int.class, Explorer.class)
                .invoke(null, scene, transport, depth, explorer);
        long from = System.nanoTime();
        Explorer.Result result = explorer.explore(scenes);
        System.out.printf("%s, %s, depth %d: %,d schedules, %,d accesses, %,d ms%n", transport, scene, depth,
                result.schedules(), result.steps(), (System.nanoTime() - from) / 1_000_000);
        Throwable violation = result.violation();
        if (violation != null) {
            fail(transport + ", " + scene + ", schedule " + result.schedule() + ": " + violation + "\n"
                    + String.join("\n", result.trace()), violation);
        }
    }
}
