package dev.bascule.models;

import dev.bascule.junit.ByTurns;
import dev.bascule.models.ModelRun.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The TLA+ model of the swap, checked by TLC; each verdict is the expected one. With one worker counterexamples are
 * shortest ones. The largest configuration, base, has 1,880,237 states and takes 190 s on one core.
 */
class BilateralSwapTlaTest {
    @TempDir
    Path directory = Path.of(".");

    /** A configuration: bounds, the constants that are TRUE, and what to check. */
    record Config(String name, Verdict expected, String tokens, int maxN, int maxE, int maxCrash, String constants,
            String invariant, String property) {
        static Config safety(String name, Verdict expected, int maxN, int maxE, int maxCrash, String constants,
                String invariant) {
            return new Config(name, expected, "{t1, t2}", maxN, maxE, maxCrash, constants, invariant, "");
        }

        static Config live(String name, Verdict expected, int maxCrash, String constants, String property) {
            return new Config(name, expected, "{t1}", 2, 1, maxCrash, constants, "", property);
        }

        String text() {
            StringBuilder cfg = new StringBuilder();
            cfg.append("SPECIFICATION ").append(property.isEmpty() ? "Spec" : "LiveSpec").append("\nCONSTANTS\n");
            cfg.append("  Tokens = ").append(tokens).append("\n  None = None\n  MaxN = ").append(maxN);
            cfg.append("\n  MaxE = ").append(maxE).append("\n  MaxCrash = ").append(maxCrash).append('\n');
            for (String k : List.of("NoEpoch", "NoTimeout", "NicGuess", "NoFreeze", "NoOwner", "TwoStep")) {
                cfg.append("  ").append(k).append(" = ").append(constants.contains(k) ? "TRUE" : "FALSE").append('\n');
            }
            cfg.append("CONSTRAINT Bound\nCHECK_DEADLOCK FALSE\n");
            cfg.append(property.isEmpty() ? "SYMMETRY Sym\nINVARIANT " + invariant : "PROPERTY " + property);
            return cfg.append('\n').toString();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Config> small() {
        return Stream.of(Config.safety("base_n3", Verdict.OK, 3, 1, 1, "", "Safety"),
                Config.safety("abl_NicGuess", Verdict.VIOLATED, 2, 2, 1, "NicGuess", "Agreement"),
                Config.safety("abl_NoFreeze", Verdict.VIOLATED, 2, 2, 1, "NoFreeze", "ValidByConstruction"),
                Config.safety("abl_TwoStep", Verdict.VIOLATED, 2, 2, 1, "TwoStep", "Atomic"),
                Config.live("live_NoTimeout_offer_ends", Verdict.VIOLATED, 1, "NoTimeout", "EveryOfferEnds"),
                Config.live("live_NoTimeout_nocrash", Verdict.OK, 0, "NoTimeout", "EveryOfferEnds"));
    }

    static Stream<Config> large() {
        Verdict bad = Verdict.VIOLATED;
        Stream<Config> probes = Stream
                .of("ProbeRealSwap", "ProbeBothKnow", "ProbeLateReflect", "ProbeOldEpoch", "NeverInDoubt",
                        "NoFalseSuspicion", "AutonomousSafety")
                .map(probe -> Config.safety(probe, bad, 2, 2, 1, "", probe));
        Stream<Config> rest = Stream.of(Config.safety("base", Verdict.OK, 2, 2, 1, "", "Safety"),
                Config.safety("base_e3", Verdict.OK, 1, 3, 2, "", "Safety"),
                Config.safety("abl_NoEpoch", bad, 2, 2, 1, "NoEpoch", "NoDoubleUse"),
                Config.safety("abl_NoEpoch_Agree", bad, 2, 2, 1, "NoEpoch", "Agreement"),
                Config.safety("abl_NoEpoch_Unique", bad, 2, 2, 1, "NoEpoch", "UniqueReflection"),
                Config.safety("abl_NoEpoch_Valid", Verdict.OK, 2, 2, 1, "NoEpoch", "ValidByConstruction"),
                Config.safety("abl_NoOwner", bad, 2, 2, 1, "NoOwner", "ValidByConstruction"),
                Config.live("live_offer_ends", Verdict.OK, 1, "", "EveryOfferEnds"),
                Config.live("live_reflect_resolves", Verdict.OK, 1, "", "EveryReflectResolves"));
        return Stream.concat(probes, rest);
    }

    @ParameterizedTest
    @MethodSource("small")
    void smallConfigurationHasTheExpectedVerdict(Config config) throws IOException {
        check(config, 120);
    }

    @Tag("models")
    @ByTurns(of = 3)
    @ParameterizedTest
    @MethodSource("large")
    void largeConfigurationHasTheExpectedVerdict(Config config) throws IOException {
        check(config, 3600);
    }

    private void check(Config config, long timeoutSeconds) throws IOException {
        Tlc.check("BilateralSwap", config.name(), config.text(), config.expected(), directory, timeoutSeconds);
    }
}
