package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.models.Explorer;
import dev.bascule.swap.SwapSetting.Switch;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The production functions, explored: the claims hold, the non-claims and the ablations do not. */
class SwapModelTest {
    private static Arguments holds(String name, SwapSetting setting) {
        return Arguments.of(name, setting);
    }

    private static Arguments fails(String invariant, int steps, SwapSetting setting) {
        return Arguments.of(invariant, steps, setting);
    }

    static Stream<Arguments> small() {
        return Stream.of(holds("1 swap, 3 epochs, 2 crashes, 1 token", SwapSetting.of(1, 1, 3, 2)),
                holds("3 swaps", SwapSetting.of(2, 3, 1, 1)), holds("2 swaps, 2 epochs", SwapSetting.of(1, 2, 2, 1)),
                holds("hold and refuse", SwapSetting.of(1, 2, 1, 1, Switch.ANSWERS)),
                holds("whole record, torn commits", SwapSetting.of(1, 2, 2, 1, Switch.FULL_RECORD)),
                holds("zombie", SwapSetting.of(1, 1, 2, 1, Switch.ZOMBIE)));
    }

    static Stream<Arguments> large() {
        return Stream.of(holds("2 tokens, 1 swap, 3 epochs, 2 crashes", SwapSetting.of(2, 1, 3, 2)),
                holds("2 tokens, 2 swaps, 2 epochs", SwapSetting.of(2, 2, 2, 1)),
                holds("3 tokens, 3 swaps", SwapSetting.of(3, 3, 1, 1)),
                // 2 swaps, 2 epochs and a crash together hold as well: 15,528,277 states, six minutes
                holds("hold and refuse, 1 swap, 2 epochs, crash", SwapSetting.of(1, 1, 2, 1, Switch.ANSWERS)),
                holds("hold and refuse, 2 swaps, 2 epochs, no crash", SwapSetting.of(1, 2, 2, 0, Switch.ANSWERS)),
                holds("whole record, 2 tokens", SwapSetting.of(2, 2, 2, 1, Switch.FULL_RECORD)),
                holds("zombie, 2 swaps", SwapSetting.of(1, 2, 2, 1, Switch.ZOMBIE)));
    }

    /** The number is the length of the shortest trace. */
    static Stream<Arguments> violated() {
        return Stream.of(fails("Agreement", 3, SwapSetting.of(2, 2, 2, 1, Switch.NIC_GUESS)),
                fails("ValidByConstruction", 3, SwapSetting.of(2, 2, 2, 1, Switch.NO_FREEZE)),
                fails("ValidByConstruction", 6, SwapSetting.of(2, 2, 2, 1, Switch.NO_OWNER)),
                fails("Atomic", 4, SwapSetting.of(2, 2, 2, 1, Switch.TWO_STEP)),
                fails("NoDoubleUse", 8, SwapSetting.of(2, 2, 2, 1, Switch.NO_EPOCH)),
                fails("Agreement", 8, SwapSetting.of(2, 2, 2, 1, Switch.NO_EPOCH)),
                fails("UniqueReflection", 8, SwapSetting.of(2, 2, 2, 1, Switch.NO_EPOCH)),
                fails("EveryOfferEnds", 2, SwapSetting.of(1, 2, 1, 1, Switch.NO_WINDOW)),
                fails("NeverInDoubt", 3, SwapSetting.of(2, 2, 2, 1)),
                fails("NoFalseSuspicion", 1, SwapSetting.of(2, 2, 2, 1)),
                fails("AutonomousSafety", 6, SwapSetting.of(2, 2, 2, 1)),
                fails("ProbeRealSwap", 6, SwapSetting.of(2, 2, 2, 1)),
                fails("ProbeBothKnow", 8, SwapSetting.of(2, 2, 2, 1)),
                fails("ProbeLateReflect", 3, SwapSetting.of(2, 2, 2, 1)),
                fails("ProbeOldEpoch", 4, SwapSetting.of(2, 2, 2, 1)),
                fails("ProbeZombie", 6, SwapSetting.of(1, 1, 2, 1, Switch.ZOMBIE)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("small")
    void claimsHoldInEveryReachableState(String name, SwapSetting setting) {
        explore(name, setting);
    }

    @Tag("models")
    @ByTurns(of = 2)
    @ParameterizedTest(name = "{0}")
    @MethodSource("large")
    void claimsHoldInEveryReachableStateOfLargerSettings(String name, SwapSetting setting) {
        explore(name, setting);
    }

    private static void explore(String name, SwapSetting setting) {
        long start = System.nanoTime();
        Explorer.Result result = Explorer.run(new SwapModel(setting, SwapInvariants.ALL), 20_000_000);
        System.out.println(name + ": " + result + ", " + (System.nanoTime() - start) / 1_000_000 + " ms");
        assertThat(result.holds()).as(result.toString()).isTrue();
    }

    @ParameterizedTest(name = "{0} of {2}")
    @MethodSource("violated")
    void ablationsAndNonClaimsAreViolated(String invariant, int steps, SwapSetting setting) {
        Explorer.Result result = Explorer.run(new SwapModel(setting, Predicate.isEqual(invariant)), 3_000_000);
        System.out.println(setting.switches() + ": " + result);
        assertThat(result.violated()).isEqualTo(invariant);
        assertThat(result.trace()).hasSize(steps + 1);
    }

    @Tag("models")
    @org.junit.jupiter.api.Test
    void decisionsStayValidEvenWithoutEpochs() {
        explore("no epoch, validity only", SwapSetting.of(1, 2, 2, 1, Switch.NO_EPOCH), "ValidByConstruction");
    }

    private static void explore(String name, SwapSetting setting, String invariant) {
        Explorer.Result result = Explorer.run(new SwapModel(setting, Predicate.isEqual(invariant)), 20_000_000);
        System.out.println(name + ": " + result);
        assertThat(result.holds()).as(result.toString()).isTrue();
    }
}
