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
 * The TLA+ model of group commits and promises: all or none, a task on one CPU at most, a promised task nobody else's.
 * Each mutant breaks a rule of the Enforcer and must be found; the probes show that promises and refusals are reached.
 */
@Tag("models")
class GroupsTlaTest {
    @TempDir
    Path directory = Path.of(".");

    /** A configuration: numbers of CPUs and tasks, bounds, whether ALLOW_ONCPU is used, the mutant, what to check. */
    record Config(String name, Verdict expected, int cpus, int tasks, int moves, int made, boolean allows,
            String mutant, String invariant) {
        static Config holds(String name, int cpus, int tasks, int moves, int made, boolean allows) {
            return new Config(name, Verdict.OK, cpus, tasks, moves, made, allows, "", "Safety");
        }

        static Config fails(String mutant, int tasks, int moves, int made, boolean allows) {
            return new Config(mutant, Verdict.VIOLATED, 2, tasks, moves, made, allows, mutant, "Safety");
        }

        static Config reaches(String probe) {
            return new Config(probe, Verdict.VIOLATED, 2, 2, 1, 1, true, "", probe);
        }

        String text() {
            StringBuilder cfg = new StringBuilder("SPECIFICATION Spec\nCONSTANTS\n  None = None\n");
            cfg.append("  Cpus = ").append(set("c", cpus)).append("\n  Tasks = ").append(set("t", tasks));
            cfg.append("\n  MaxMoves = ").append(moves).append("\n  MaxMade = ").append(made);
            cfg.append("\n  Sizes = ").append(cpus == 2 ? "{2}" : "{2, 3}");
            cfg.append("\n  Allows = ").append(allows ? "{TRUE, FALSE}" : "{FALSE}").append('\n');
            for (String k : List.of("Queued", "Twice", "Latches", "Half", "Relatch")) {
                cfg.append("  ").append(k).append(" = ").append(k.equals(mutant) ? "TRUE" : "FALSE").append('\n');
            }
            return cfg.append("CHECK_DEADLOCK FALSE\nSYMMETRY Sym\nINVARIANT ").append(invariant).append('\n')
                    .toString();
        }

        private static String set(String prefix, int size) {
            StringBuilder set = new StringBuilder("{").append(prefix).append(1);
            for (int i = 2; i <= size; i++) {
                set.append(", ").append(prefix).append(i);
            }
            return set.append('}').toString();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Config> configurations() {
        return Stream.of(Config.holds("one group, two CPUs", 2, 2, 2, 1, true),
                Config.holds("two groups, two CPUs", 2, 2, 1, 2, false),
                Config.holds("two groups, three tasks", 2, 3, 0, 2, false),
                Config.holds("one group, three CPUs", 3, 3, 1, 1, false), Config.fails("Queued", 2, 1, 2, true),
                Config.fails("Twice", 2, 1, 2, true), Config.fails("Half", 2, 1, 2, true),
                Config.fails("Latches", 3, 0, 2, false), Config.fails("Relatch", 2, 2, 1, true),
                Config.reaches("ProbePromise"), Config.reaches("ProbePoison"));
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @MethodSource("configurations")
    void configurationHasTheExpectedVerdict(Config config) throws IOException {
        String name = config.name().replace(",", "").replace(' ', '_');
        Tlc.check("Groups", name, config.text(), config.expected(), directory, 3600);
    }
}
