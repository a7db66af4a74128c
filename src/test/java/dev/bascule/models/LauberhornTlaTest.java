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
 * The TLA+ model of Lauberhorn's lines over an interconnect without order, with evictions, and with processes, kernels
 * and the NIC dying. The published model of the prototype had 421,634 and 13,726,913 states, without deaths.
 */
class LauberhornTlaTest {
    @TempDir
    Path directory = Path.of(".");

    /** A configuration: the machine, bounds, the constants that are TRUE, and what to check. */
    record Config(String name, Verdict expected, int cores, String owners, String targets, int deaths,
            int kernelDeaths, int restarts, int evictions, int gifts, String constants, String invariant,
            String property) {
        static Config holds(String name, int cores, int deaths, int kernelDeaths, int restarts, int evictions,
                int gifts) {
            return new Config(name, Verdict.OK, cores, "12", "12", deaths, kernelDeaths, restarts, evictions, gifts,
                    "", "Safety", "");
        }

        static Config fails(String mutant, String targets, int deaths, int evictions) {
            return new Config(mutant, Verdict.VIOLATED, 1, "12", targets, deaths, 0, 0, evictions, 3, mutant,
                    "Safety", "");
        }

        /** A mutant with two cores that has a request on its way to a thread that lost its core. */
        static Config delivers(String mutant) {
            return new Config(mutant, Verdict.VIOLATED, 2, "12", "12", 1, 0, 0, 0, 2, mutant, "Preempted", "");
        }

        static Config reaches(String probe, int evictions) {
            return new Config(probe, Verdict.VIOLATED, 1, "12", "12", 0, 0, 0, evictions, 3, "", probe, "");
        }

        static Config live(String name, Verdict expected, String owners, String targets, int deaths, int restarts,
                String constants) {
            return new Config(name, expected, 1, owners, targets, deaths, 0, restarts, 0, 0, constants, "",
                    "EveryRequestSettles");
        }

        String text() {
            StringBuilder cfg = new StringBuilder("SPECIFICATION ").append(property.isEmpty() ? "Spec" : "LiveSpec");
            cfg.append("\nCONSTANTS\n  None = None\n  Cores = ").append(set("c", cores));
            for (String name : List.of("p1", "p2", "t1", "t2", "r1", "r2")) {
                cfg.append("\n  ").append(name).append(" = ").append(name);
            }
            cfg.append("\n  Threads = ").append(set("t", owners.length())).append("\n  Requests = ")
                    .append(set("r", targets.length()));
            cfg.append("\n  Owner <- ").append(owners.equals("11") ? "OneProcess" : "TwoProcesses");
            cfg.append("\n  Target <- ").append(targets.equals("11") ? "AllToOne" : "EachToOne");
            cfg.append("\n  QueueEntries = 2\n  MaxDeaths = ").append(deaths).append("\n  MaxKernelDeaths = ")
                    .append(kernelDeaths).append("\n  MaxRestarts = ").append(restarts).append("\n  MaxEvictions = ")
                    .append(evictions).append("\n  MaxGifts = ").append(gifts).append('\n');
            for (String k : List.of("NextOnReread", "NoInvalidate", "Redeliver", "OneLife", "AnyLife", "NoDebt")) {
                cfg.append("  ").append(k).append(" = ").append(constants.contains(k) ? "TRUE" : "FALSE").append('\n');
            }
            cfg.append("CHECK_DEADLOCK FALSE\n");
            if (expected == Verdict.OK && property.isEmpty()) {
                cfg.append("SYMMETRY Alike\n");
            }
            return cfg.append(property.isEmpty() ? "INVARIANT " + invariant : "PROPERTY " + property).append('\n')
                    .toString();
        }

        private static String set(String prefix, int size) {
            StringBuilder set = new StringBuilder("{");
            for (int i = 1; i <= size; i++) {
                set.append(i == 1 ? "" : ", ").append(prefix).append(i);
            }
            return set.append('}').toString();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Config> configurations() {
        return Stream.of(Config.holds("one core", 1, 0, 0, 0, 0, 3),
                Config.holds("one core, evictions", 1, 0, 0, 0, 1, 2),
                Config.holds("a process dies", 1, 1, 0, 0, 0, 2), Config.holds("a kernel dies", 1, 0, 1, 0, 0, 3),
                Config.holds("the NIC restarts", 1, 0, 0, 1, 0, 2), Config.holds("two cores", 2, 0, 0, 0, 0, 2),
                Config.holds("two cores, a process dies", 2, 1, 0, 0, 0, 2),
                Config.fails("NextOnReread", "11", 0, 1), Config.fails("NoInvalidate", "11", 0, 0),
                Config.fails("Redeliver", "11", 1, 0), Config.fails("OneLife", "11", 1, 0),
                Config.fails("AnyLife", "11", 1, 0), Config.delivers("AnyLife, two cores"),
                Config.reaches("ProbeTwoServed", 0), Config.reaches("ProbePreempted", 0),
                Config.reaches("ProbeEvicted", 1),
                Config.live("live", Verdict.OK, "12", "12", 0, 0, ""),
                Config.live("NoDebt", Verdict.VIOLATED, "12", "12", 0, 0, "NoDebt"),
                Config.live("live, a process dies", Verdict.OK, "12", "1", 1, 0, ""),
                Config.live("live, one thread, the NIC restarts", Verdict.OK, "1", "1", 0, 1, ""));
    }

    /** With two threads it takes longer than any other model. */
    static Stream<Config> large() {
        return Stream.of(Config.live("live, the NIC restarts", Verdict.OK, "12", "1", 0, 1, ""));
    }

    @Tag("models")
    @ByTurns(of = 3)
    @ParameterizedTest
    @MethodSource("configurations")
    void configurationHasTheExpectedVerdict(Config config) throws IOException {
        check(config);
    }

    @Tag("spin")
    @ParameterizedTest
    @MethodSource("large")
    void largeConfigurationHasTheExpectedVerdict(Config config) throws IOException {
        check(config);
    }

    private void check(Config config) throws IOException {
        String name = config.name().replace(",", "").replace(' ', '_');
        Tlc.check("Lauberhorn", name, config.text(), config.expected(), directory, 3600);
    }
}
