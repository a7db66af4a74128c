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
 * The TLA+ model of a fabric's credits: nothing is refused or lost, nothing stands still but what passes a device that
 * fails, with graphs that pass devices in opposite orders. Each mutant breaks a rule and must be found.
 */
@Tag("models")
class CreditsTlaTest {
    @TempDir
    Path directory = Path.of(".");

    /** A configuration: which streams, bounds, devices that may fail, the mutant, what to check. */
    record Config(String name, Verdict expected, int streams, int window, int items, int room, String failures,
            String mutant, String invariant) {
        static Config holds(String name, int streams, int window, int items, int room, String failures) {
            return new Config(name, Verdict.OK, streams, window, items, room, failures, "", "Safety");
        }

        static Config fails(String mutant, int streams, String failures) {
            return new Config(mutant, Verdict.VIOLATED, streams, 2, 3, 1, failures, mutant, "Safety");
        }

        static Config reaches(String probe) {
            return new Config(probe, Verdict.VIOLATED, 1, 2, 2, 1, "{1}", "", probe);
        }

        String text() {
            StringBuilder cfg = new StringBuilder("SPECIFICATION Spec\nCONSTANTS\n");
            cfg.append("  Case = ").append(streams).append("\n  Window = ").append(window);
            cfg.append("\n  Items = ").append(items).append("\n  Room = ").append(room);
            cfg.append("\n  Failures = ").append(failures).append('\n');
            for (String k : List.of("Shared", "Direct", "Early")) {
                cfg.append("  ").append(k).append(" = ").append(k.equals(mutant) ? "TRUE" : "FALSE").append('\n');
            }
            return cfg.append("CHECK_DEADLOCK FALSE\nINVARIANT ").append(invariant).append('\n').toString();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Config> configurations() {
        return Stream.of(Config.holds("one chain", 1, 2, 3, 1, "{1, 2}"),
                Config.holds("two chains in opposite orders", 2, 2, 2, 1, "{1}"),
                Config.holds("two chains no failure", 2, 2, 3, 1, "{}"),
                Config.holds("a neighbour", 3, 2, 3, 1, "{1, 2}"),
                Config.holds("three chains", 4, 1, 2, 1, "{3}"), Config.fails("Shared", 3, "{2}"),
                Config.fails("Direct", 2, "{}"), Config.fails("Early", 1, "{}"), Config.reaches("ProbeLost"),
                Config.reaches("ProbeStuck"));
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @MethodSource("configurations")
    void configurationHasTheExpectedVerdict(Config config) throws IOException {
        Tlc.check("Credits", config.name().replace(' ', '_'), config.text(), config.expected(), directory, 3600);
    }
}
