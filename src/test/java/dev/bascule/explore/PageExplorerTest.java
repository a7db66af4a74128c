package dev.bascule.explore;

import static org.assertj.core.api.Assertions.fail;

import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Batches of pages over the swap, with the production host and agent, under every schedule that leaves the default at most so
 * often, with store buffers: no page is in two hands, also if an agent ends at any step or goes on when its epoch is over, a
 * page that changed does not change hands, and all that wait have been decided. {@link Explorer} says how.
 * <p>
 * It is known to find, put in by hand: a host that does not look once more at what it hands over (change), an agent that uses
 * a parcel before the exchange is known to be committed (all), one that does not learn that what it gave back was taken
 * (change), a fence without a new epoch (crash, zombie). It does not find a parcel accepted without its digest, which
 * ordered memory delivers whole; the conformance tests on faulty links are for that.
 */
@Timeout(3600)
@Execution(ExecutionMode.SAME_THREAD)
class PageExplorerTest {
    @ParameterizedTest
    @ValueSource(strings = { "hand over", "change", "crash", "zombie" })
    void everyScheduleWithOneSwitch(String scene) throws Exception {
        explore(scene, 1);
    }

    @Tag("spin")
    @ParameterizedTest
    @ValueSource(strings = { "hand over", "change", "crash", "zombie" })
    void everyScheduleWithTwoSwitches(String scene) throws Exception {
        explore(scene, 2);
    }

    private static void explore(String scene, int switches) throws Exception {
        Explorer explorer = new Explorer(new Explorer.Bounds(switches, 1, scene.equals("crash") ? 1 : 0));
        @SuppressWarnings("unchecked")
        Supplier<Explorer.Scene> scenes = (Supplier<Explorer.Scene>) new ExploredClasses()
                .loadClass("dev.bascule.swap.BulkScenes").getMethod("of", String.class, Explorer.class)
                .invoke(null, scene, explorer);
        long from = System.nanoTime();
        Explorer.Result result = explorer.explore(scenes);
        System.out.printf("pages: %s, bound %d: %,d schedules, %,d accesses, %,d ms%n", scene, switches,
                result.schedules(), result.steps(), (System.nanoTime() - from) / 1_000_000);
        if (result.violation() != null) {
            fail(scene + ", schedule " + result.schedule() + ": " + result.violation() + "\n"
                    + String.join("\n", result.trace()), result.violation());
        }
    }
}
