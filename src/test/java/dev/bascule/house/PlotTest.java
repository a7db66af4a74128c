package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.cli.PythonClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code scripts/plot}: what it hands to matplotlib, for which a stand-in writes that down. */
@Tag("heavy")
class PlotTest {
    private static final String HEADS = "policy,load,seed,options,run,runSeed,class,"
            + "count,meanNanos,p99Nanos,noInterval\r\n";
    /** A module whose every call does nothing, but for errorbar, which savefig writes. */
    private static final String STAND_IN = """
            import sys
            from types import ModuleType
            drawn = []
            class Axes:
                def errorbar(self, x, y, yerr, label, **more):
                    drawn.append("%s %s %s %s" % (label, x, y, yerr))
                def __getattr__(self, name):
                    return lambda *words: drawn.append("log") if name == "set_yscale" else None
            class Figure:
                def savefig(self, path, **more):
                    open(path, "w").write("\\n".join(drawn))
            def use(name):
                pass
            pyplot = sys.modules["matplotlib.pyplot"] = ModuleType("matplotlib.pyplot")
            pyplot.subplots = lambda: (Figure(), Axes())
            """;

    @TempDir
    private Path folder = Path.of("");

    private final Map<String, String> environment = new HashMap<>(System.getenv());

    @BeforeEach
    void needsPython() throws Exception {
        Assumptions.assumeTrue(PythonClient.isHere(), "python3 is not here");
        standIn(STAND_IN);
        environment.put("PYTHONPATH", folder.toString());
        environment.put("PYTHONDONTWRITEBYTECODE", "1");
        environment.put("PYTHONIOENCODING", "utf-8");
    }

    private void standIn(String text) throws Exception {
        Files.writeString(folder.resolve("matplotlib.py"), text);
    }

    private Command plot(String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of(House.BASE.resolve("scripts/plot").toString()));
        all.addAll(Arrays.asList(words));
        return Command.run(folder, environment, all);
    }

    private void csv(String... lines) throws Exception {
        Files.writeString(folder.resolve("runs.csv"), HEADS + String.join("\r\n", lines) + "\r\n");
    }

    @Test
    void eachPolicyIsALineOfMeansWithTheirIntervals() throws Exception {
        csv("fifo,0.9,1,,0,1,all,9,1,4000,", "fifo,0.9,1,,1,8,all,9,1,6000,", "fifo,0.3,1,,0,1,all,9,1,2000,",
                "fifo,0.3,1,,0,1,short,9,1,77,", "cfs,0.3,1,policy.latency=1ms,0,1,all,9,1,3000,");
        Command command = plot("runs.csv", "out.svg");
        assertThat(command.err()).isEmpty();
        assertThat(command.out()).isEqualTo("out.svg: 2 lines, 3 points\n");
        List<String> drawn = Files.readAllLines(folder.resolve("out.svg"));
        assertThat(drawn).hasSize(3).contains("log", "policy=cfs policy.latency=1ms [0.3] [3.0] [0.0]");
        String[] fifo = drawn.stream().filter(line -> line.startsWith("policy=fifo [0.3, 0.9] [2.0, 5.0] [0.0, "))
                .findFirst().orElseThrow().split("[ \\]]");
        assertThat(Double.parseDouble(fifo[fifo.length - 1])).as("Student's t of one degree, us")
                .isCloseTo(12.706, within(1e-9));
        assertThat(plot("runs.csv", "out.svg", "--linear", "--class", "short").err()).isEmpty();
        assertThat(Files.readString(folder.resolve("out.svg"))).isEqualTo("short [0.3] [0.077] [0.0]");
    }

    @Test
    void aPointWithoutTheFigureIsLeftOutAndSaid() throws Exception {
        csv("fifo,0.3,1,,0,1,all,9,1,2000,", "fifo,0.9,1,,0,1,all,9,1,,", "fifo,0.9,1,,1,8,all,9,1,5000,");
        Command command = plot("runs.csv", "out.svg");
        assertThat(command.err()).isEqualTo(
                "scripts/plot: all at load=0.9 has runs that are too short for p99Nanos; left out\n");
        assertThat(command.out()).contains("1 lines, 1 points");
    }

    @Test
    void aPointWhoseRunsAreTooShortForAnIntervalHasNone() throws Exception {
        csv("fifo,0.3,1,,0,1,all,9,1,2000,p50Nanos p99Nanos", "fifo,0.3,1,,1,8,all,9,1,3000,p50Nanos p99Nanos");
        assertThat(plot("runs.csv", "out.svg").err()).isEqualTo(
                "scripts/plot: all at load=0.3 has runs that are too short for an interval of p99Nanos (jobs=)\n");
        assertThat(Files.readAllLines(folder.resolve("out.svg"))).contains("all [0.3] [2.5] [0.0]");
        assertThat(plot("runs.csv", "out.svg", "--y", "meanNanos").err()).contains("interval of meanNanos");
    }

    @Test
    void withoutMatplotlibTheExactCommandIsSaid() throws Exception {
        standIn("raise ImportError()");
        csv("fifo,0.3,1,,0,1,all,9,1,2000,");
        Command command = plot("runs.csv", "out.svg");
        assertThat(command.status()).isEqualTo(2);
        assertThat(command.err()).endsWith("which is not here: apt-get install python3-matplotlib\n");
        assertThat(plot("--help").out()).startsWith("scripts/plot RESULTS.csv PICTURE");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "none.csv out.svg | none.csv: No such file",
            "runs.csv | a CSV file and a picture",
            "runs.csv out.svg --y p9 | --y p9: runs.csv has no such column; it has count, meanNanos, p99Nanos",
            "runs.csv out.svg --x lode | --x lode: runs.csv has no such column; it has policy, load",
            "runs.csv out.svg --x policy | policy=fifo is no number", "runs.csv out.svg --class get | runs.csv has all",
            "runs.csv out.svg --yy 3 | unknown option '--yy'", "runs.csv out.svg --y | --y needs a value",
            "matplotlib.py out.svg | no CSV of runs; make one with: bascule sweep" })
    void whatCannotBeDrawnIsNamed(String words, String why) throws Exception {
        csv("fifo,0.3,1,,0,1,all,9,1,2000,");
        Command command = plot(words.split(" "));
        assertThat(command.status()).isEqualTo(2);
        assertThat(command.err()).startsWith("scripts/plot: ").contains(why).doesNotContain("Traceback");
        assertThat(folder.resolve("out.svg")).doesNotExist();
    }
}
