package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.Cli;
import dev.bascule.run.Errors;
import dev.bascule.ffi.Signals;
import dev.bascule.junit.ByTurns;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code bascule compare} as a user starts it. */
@Tag("process")
class CompareProcessTest {
    /** Claims that no protocol can keep; no figure ever shows them. */
    private static final List<String> FORBIDDEN = List.of("no timeout", "common knowledge", "abort impossible",
            "impossible to abort", "timeout-free");

    @TempDir
    private Path temporary = Path.of("");

    @Test
    void idlenessIsReportedAsTextAndPageWithWhatItShows() throws Exception {
        Path page = temporary.resolve("compare.html");
        Cli compare = Cli.run("compare", "--quick", "--experiment", "E9", "--transport", "on-host,wave", "--report",
                page.toString());
        assertThat(compare.status()).as(compare.err()).isZero();
        assertThat(compare.out()).contains("E9: everything idle", "on-host polling", "wave interrupt",
                "* Idle and polling, the host's thread took", "Rule: ", "Repeat: scripts/bascule compare --quick");
        assertThat(compare.err()).contains("E9: idle over wave", "report written to");
        assertThat(Files.readString(page)).contains("<h2>E9: everything idle</h2>");
        assertThat(FORBIDDEN).noneMatch(words -> compare.out().toLowerCase(java.util.Locale.ROOT).contains(words));
    }

    @Test
    void conflictsAreOneJsonDocument() throws Exception {
        Cli compare = Cli.run("compare", "--quick", "--json", "--experiment", "E3", "--transport", "wave", "--report",
                "none");
        assertThat(compare.status()).as(compare.err()).isZero();
        assertThat(compare.out()).startsWith("{").endsWith("}\n").contains("\"id\": \"E3\"",
                "\"label\": \"stale, refused at enforcement\"", "\"wave interrupt\": ", "\"findings\": [");
        assertThat(FORBIDDEN).noneMatch(words -> compare.out().toLowerCase(java.util.Locale.ROOT).contains(words));
    }

    @Test
    void anInterruptedComparisonLeavesNeitherAgentNorDirectory() throws Exception {
        Process compare = new ProcessBuilder(Cli.command(List.of(), "compare", "--experiment", "E9", "--transport",
                "wave", "--report", temporary.resolve("none.html").toString()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(compare.getErrorStream(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).contains("E9: idle over wave");
            List<ProcessHandle> agents = List.of();
            while (agents.isEmpty() && compare.isAlive()) {
                Thread.onSpinWait();
                agents = compare.descendants().toList();
            }
            List<Path> regions = regions(compare.pid());
            assertThat(regions).as("before the interrupt").isNotEmpty().allMatch(Files::exists);
            Signals.send(compare.pid(), 2);
            assertThat(compare.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(compare.exitValue()).isEqualTo(Errors.INTERRUPTED);
            for (ProcessHandle agent : agents) {
                Signals.awaitEnd(agent.pid());
            }
            assertThat(regions).noneMatch(region -> Files.exists(region.getParent()));
            assertThat(lines.lines().toList()).noneMatch(line -> line.contains("\tat "));
        } finally {
            compare.destroyForcibly();
        }
    }

    private static List<Path> regions(long pid) throws Exception {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/maps"))) {
            return lines.filter(line -> line.contains("/bascule-") && line.endsWith(".mem"))
                    .map(line -> Path.of(line.substring(line.indexOf('/')))).distinct().toList();
        }
    }

    @Test
    void batchesOfPagesAndRequestsOfACardArePlayedLive() throws Exception {
        Cli compare = Cli.run("compare", "--quick", "--experiment", "E6,E7", "--transport", "wave",
                "--report", "none");
        assertThat(compare.status()).as(compare.out() + compare.err()).isZero();
        assertThat(compare.out()).contains("E6: batches of pages", "struck before they changed hands",
                "E7: requests steered", "up to 12 decisions staged for a core", "cores that front and agent took");
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "E1 | swap0 | E1: saturation and latency | swap0 interrupt",
            "E2 | wave | E2: latency of the link | 1000 ns one way, a flood",
            "E4 | wave | E4: priorities | 4 decisions staged ahead | urgent, p99" })
    void loadsLinksAndPrioritiesArePlayedLive(ArgumentsAccessor expected) throws Exception {
        Cli compare = Cli.run("compare", "--quick", "--experiment", expected.getString(0), "--transport",
                expected.getString(1), "--report", "none");
        assertThat(compare.status()).as(compare.out() + compare.err()).isZero();
        for (int i = 2; i < expected.size(); i++) {
            assertThat(compare.out()).contains(expected.getString(i));
        }
    }

    @Test
    void anExperimentThatIsNoneIsRefusedBeforeAnythingRuns() {
        Cli compare = Cli.call("compare", "--experiment", "E10");
        assertThat(compare.status()).isEqualTo(Errors.USAGE);
        assertThat(compare.err()).contains("there is no experiment E10", "E1, E2");
        assertThat(Cli.call("compare", "--transport", "telepathy", "--report", "none").err())
                .contains("no transport is called 'telepathy'");
    }

    @Test
    void helpHasExamples() {
        assertThat(Cli.call("compare", "--help").out()).contains("bascule compare --quick", "--experiment",
                "Examples:");
    }
}
