package dev.bascule.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.lauberhorn.DispatchWorld.Mutant;
import dev.bascule.lauberhorn.DispatchWorld.Setting;
import dev.bascule.models.Explorer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The machines that production runs, in every reachable state of small machines, with either side dying at any step. The
 * published model ({@code lauberhorn.tla}) was checked in 421,634 and in 13,726,913 states, without deaths.
 */
class DispatchModelTest {
    private static final int[] TWO_PROCESSES = { 1, 2 };

    static Stream<Arguments> small() {
        Setting one = Setting.of(1, TWO_PROCESSES, new int[] { 1, 2 });
        return Stream.of(Arguments.of("one core", one),
                Arguments.of("one core, a process dies", one.withDeaths(1, 0, 0)),
                Arguments.of("one core, the kernel dies", one.withDeaths(0, 1, 0)),
                Arguments.of("one core, the NIC restarts", one.withDeaths(0, 0, 1)),
                Arguments.of("one core, queues of one",
                        Setting.of(1, TWO_PROCESSES, new int[] { 1, 1, 1 }).withQueue(1)),
                Arguments.of("one core, threads that misbehave", one.withMisdeeds(1)),
                Arguments.of("two cores", Setting.of(2, TWO_PROCESSES, new int[] { 1, 2 })));
    }

    static Stream<Arguments> large() {
        Setting two = Setting.of(2, TWO_PROCESSES, new int[] { 1, 2 });
        return Stream.of(Arguments.of("two cores, a process dies", two.withSteps(2, 1).withDeaths(1, 0, 0)),
                Arguments.of("two cores, the kernel dies", two.withDeaths(0, 1, 0)),
                Arguments.of("two cores, the NIC restarts", two.withSteps(2, 1).withDeaths(0, 0, 1)),
                Arguments.of("one core, everybody dies",
                        Setting.of(1, TWO_PROCESSES, new int[] { 1, 2 }).withSteps(2, 1).withDeaths(1, 1, 1)),
                Arguments.of("two cores, two threads of one process",
                        Setting.of(2, new int[] { 1, 1 }, new int[] { 1, 1 }).withSteps(3, 0).withDeaths(1, 0, 0)),
                Arguments.of("two cores, three threads, three requests",
                        Setting.of(2, new int[] { 1, 1, 2 }, new int[] { 1, 2, 1 }).withSteps(2, 0)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("small")
    void requestsAreRunAtMostOnceAndByTheirProcessAlone(String name, Setting setting) {
        explore(name, setting);
    }

    @Tag("models")
    @ByTurns(of = 3)
    @ParameterizedTest(name = "{0}")
    @MethodSource("large")
    void theSameInLargerMachines(String name, Setting setting) {
        explore(name, setting);
    }

    private static void explore(String name, Setting setting) {
        long start = System.nanoTime();
        Explorer.Result result = Explorer.run(new DispatchModel(setting), 20_000_000);
        System.out.println(name + ": " + result + ", " + (System.nanoTime() - start) / 1_000_000 + " ms");
        assertThat(result.holds()).as(result.toString()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Mutant.class)
    void aRuleThatIsLeftOutIsFound(Mutant mutant) {
        boolean two = mutant == Mutant.TWO_CORES; // only a restarted NIC does not know where a thread is
        Setting setting = Setting.of(two ? 2 : 1, TWO_PROCESSES, new int[] { 1, 1 }).withSteps(3, 0)
                .withDeaths(two ? 0 : 1, 0, two ? 1 : 0).withMisdeeds(1).with(mutant);
        Explorer.Result result = Explorer.run(new DispatchModel(setting), 5_000_000);
        System.out.println(mutant + ": " + result);
        assertThat(result.violated()).as(result.toString()).isNotNull();
    }
}
