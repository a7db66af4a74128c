package dev.bascule.wave;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.models.Explorer;
import dev.bascule.wave.WaveSetting.Switch;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Wave's production code, explored: the claims hold in every reachable state, and without a rule they do not. */
class WaveModelTest {
    private static final Predicate<String> EVERYTHING = name -> !name.startsWith("Probe");

    static Stream<Arguments> small() {
        return Stream.of(Arguments.of("one CPU, two tasks", WaveSetting.of(1, 2, 2, 1, 1, 0)),
                Arguments.of("one task, two decisions", WaveSetting.of(1, 1, 3, 2, 1, 0)),
                Arguments.of("fences and crashes", WaveSetting.of(1, 1, 1, 1, 2, 1)),
                Arguments.of("lines in pieces, in any order",
                        WaveSetting.of(1, 1, 1, 1, 1, 0, Switch.PIECES, Switch.ANY_ORDER)),
                Arguments.of("the shipped FIFO policy", WaveSetting.of(1, 2, 2, 24, 2, 1, Switch.POLICY)));
    }

    static Stream<Arguments> large() {
        return Stream.of(Arguments.of("one CPU, two tasks, two decisions", WaveSetting.of(1, 2, 3, 2, 1, 0)),
                Arguments.of("two CPUs, one task", WaveSetting.of(2, 1, 2, 1, 1, 0)),
                Arguments.of("a zombie in the lines of its successor's successor",
                        WaveSetting.of(1, 1, 0, 1, 3, 0, Switch.ZOMBIE)),
                Arguments.of("two CPUs, two tasks", WaveSetting.of(2, 2, 2, 1, 1, 0)),
                Arguments.of("fences and crashes, more events", WaveSetting.of(1, 1, 2, 1, 2, 1)),
                Arguments.of("lines in pieces, two epochs",
                        WaveSetting.of(1, 1, 0, 1, 2, 1, Switch.PIECES, Switch.ANY_ORDER)));
    }

    /** Too large to be searched to the end; the number is the least depth that must be reached. */
    static Stream<Arguments> endless() {
        // without the digest, zombies and pieces violate the claim within 12 steps
        return Stream.of(
                Arguments.of("zombies and lines in pieces", 13,
                        WaveSetting.of(1, 1, 0, 1, 3, 0, Switch.ZOMBIE, Switch.PIECES)),
                Arguments.of("the shipped FIFO policy, two CPUs", 9,
                        WaveSetting.of(2, 2, 3, 24, 2, 1, Switch.POLICY)));
    }

    /** Invariant, and a setting in which it must fail. */
    static Stream<Arguments> violated() {
        WaveSetting twoStep = WaveSetting.of(2, 1, 2, 1, 1, 0, Switch.TWO_STEP);
        return Stream.of(
                Arguments.of("StaleNeverEnforced", WaveSetting.of(1, 1, 2, 1, 1, 0, Switch.NO_SEQUENCE)),
                Arguments.of("StaleNeverEnforced", twoStep), Arguments.of("NoDoubleRun", twoStep),
                Arguments.of("LedgerClean", WaveSetting.of(1, 2, 0, 1, 2, 1, Switch.NO_EPOCH, Switch.ZOMBIE)),
                Arguments.of("WholeDecisions",
                        WaveSetting.of(1, 1, 0, 1, 1, 0, Switch.PIECES, Switch.ANY_ORDER, Switch.NO_DIGEST)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("small")
    void claimsHoldInEveryReachableState(String name, WaveSetting setting) {
        holds(name, setting, EVERYTHING);
    }

    @Tag("models")
    @ByTurns(of = 2)
    @ParameterizedTest(name = "{0}")
    @MethodSource("large")
    void claimsHoldInEveryReachableStateOfLargerSettings(String name, WaveSetting setting) {
        holds(name, setting, EVERYTHING);
    }

    /** Breadth first, so that there is no trace to a violation shorter than the depth printed. */
    @Tag("models")
    @ByTurns(of = 2)
    @ParameterizedTest(name = "{0}")
    @MethodSource("endless")
    void noStateWithinReachViolatesAClaim(String name, int leastDepth, WaveSetting setting) {
        Explorer.Result result = Explorer.run(new WaveModel(setting, EVERYTHING), 300_000);
        System.out.println(name + ": " + result);
        assertThat(result.violated()).as(result.toString()).isNull();
        assertThat(result.depth()).as(result.toString()).isGreaterThanOrEqualTo(leastDepth);
    }

    /** The asymmetry to the swap: the compare at the authority alone keeps Wave safe, the epoch keeps both informed. */
    @org.junit.jupiter.api.Test
    void withoutEpochsNothingStaleIsEnforcedEither() {
        WaveSetting setting = WaveSetting.of(1, 1, 2, 1, 2, 1, Switch.NO_EPOCH, Switch.ZOMBIE);
        holds("no epoch, safety only", setting,
                name -> name.equals("StaleNeverEnforced") || name.equals("NoDoubleRun"));
    }

    private static void holds(String name, WaveSetting setting, Predicate<String> wanted) {
        long start = System.nanoTime();
        Explorer.Result result = Explorer.run(new WaveModel(setting, wanted), 5_000_000);
        System.out.println(name + ": " + result + ", " + (System.nanoTime() - start) / 1_000_000 + " ms");
        assertThat(result.holds()).as(result.toString()).isTrue();
    }

    @ParameterizedTest(name = "{0} of {1}")
    @MethodSource("violated")
    void withoutTheRuleTheClaimFails(String invariant, WaveSetting setting) {
        Explorer.Result result = Explorer.run(new WaveModel(setting, Predicate.isEqual(invariant)), 1_000_000);
        System.out.println(setting.switches() + ": " + result);
        assertThat(result.violated()).as(result.toString()).isEqualTo(invariant);
    }

    @Tag("models")
    @org.junit.jupiter.api.Test
    void withoutTheDigestAZombiesLinesBecomeADecision() {
        withoutTheRuleTheClaimFails("WholeDecisions",
                WaveSetting.of(1, 2, 0, 1, 3, 0, Switch.PIECES, Switch.ZOMBIE, Switch.NO_DIGEST));
    }

    /** What makes the claims more than empty words: the situations they speak of are reached. */
    @org.junit.jupiter.api.Test
    void staleDecisionsAreMetAndRefused() {
        WaveSetting setting = WaveSetting.of(1, 1, 2, 1, 1, 0);
        Explorer.Result result = Explorer.run(new WaveModel(setting, Predicate.isEqual(WaveGhosts.PROBE_STALE)),
                100_000);
        assertThat(result.violated()).isEqualTo(WaveGhosts.PROBE_STALE);
    }
}
