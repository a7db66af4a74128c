package dev.bascule.explore;

import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * The production ends and mechanism under every schedule that leaves the default at most so often, with store buffers;
 * see {@link Explorer}. {@code -Dbascule.exploreBound=N} explores more: three, where the default is two.
 * {@code -Dbascule.exploreTransports} and {@code -Dbascule.exploreScenes} explore less. No randomness: the same code
 * gives the same number of schedules.
 */
@Timeout(3600)
class ExplorerTest {
    private static final int BOUND = Integer.getInteger("bascule.exploreBound", 2);
    private static final String TRANSPORTS = System.getProperty("bascule.exploreTransports",
            "on-host,wave-pull,wave-push,swap0,swap1");
    private static final String SCENES = System.getProperty("bascule.exploreScenes",
            "run,withdraw,withdraw second,tick,group,sleep,group asleep,crash,zombie");

    @TestFactory
    List<DynamicTest> everyScheduleWithinTheBound() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String transport : TRANSPORTS.split(",", -1)) {
            for (String scene : SCENES.split(",", -1)) {
                boolean isLate = transport.equals("swap0"); // one decision at a time, once the CPU has asked
                if (scene.equals("withdraw")) {
                    add(tests, transport, scene, 1);
                }
                if (!isLate || !scene.equals("withdraw second")) {
                    add(tests, transport, scene, 2);
                }
            }
        }
        return tests;
    }

    private static void add(List<DynamicTest> tests, String transport, String scene, int depth) {
        String name = transport + ": " + scene + ", depth " + depth;
        tests.add(DynamicTest.dynamicTest(name, () -> explore(name, transport, scene, depth)));
    }

    private static void explore(String name, String transport, String scene, int depth) throws Exception {
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
        System.out.printf("%s: %,d schedules, %,d accesses, %,d ms%n", name, result.schedules(), result.steps(),
                (System.nanoTime() - from) / 1_000_000);
        Throwable violation = result.violation();
        if (violation != null) {
            fail(name + ", schedule " + result.schedule() + ": " + violation + "\n"
                    + String.join("\n", result.trace()), violation);
        }
    }
}
