package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.run.Errors;
import dev.bascule.run.Failure;
import dev.bascule.run.Progress;
import dev.bascule.report.Findings;
import dev.bascule.report.Grid;
import dev.bascule.report.MachineInfo;
import dev.bascule.report.Section;
import dev.bascule.study.experiment.Figure;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What the caller of {@code compare} is told about figures that no correct run has. */
class CompareStatusTest {
    @TempDir
    private Path temporary = Path.of("");

    private static Findings findings(List<Section.Wrong> wrong) {
        Section section = new Section("E3", "conflicts", "?", List.of(new Grid.Builder("calm", List.of("wave")).counts(
                "tasks lost", "tasks", List.of((double) wrong.size())).build()), List.of(), wrong, List.of(),
                List.of());
        return new Findings("Compared", "scripts/bascule compare", "2026-01-01T00:00", 1, "loopback", false,
                MachineInfo.current(), List.of(), List.of(section));
    }

    @ParameterizedTest
    @ValueSource(strings = { "text", "json" })
    void aWrongFigureEndsInStatusOneAndIsSaidInWhateverIsPrinted(String form) throws Exception {
        Path page = temporary.resolve("page.html");
        StringWriter out = new StringWriter();
        Section.Wrong wrong = new Section.Wrong("calm", "wave", "tasks lost", 1, "It was forgotten.");
        assertThat(report(findings(List.of(wrong)), out, "--report", page.toString(), form.equals("json")
                ? "--json"
                : "--quick")).isEqualTo(Errors.FAILED);
        assertThat(out.toString()).contains("tasks lost", "It was forgotten.");
        assertThat(Files.readString(page)).contains("WRONG: E3, calm, wave", "It was forgotten.");
    }

    @Test
    void withoutOneItIsZero() {
        StringWriter out = new StringWriter();
        assertThat(report(findings(List.of()), out, "--report", "none")).isZero();
        assertThat(out.toString()).doesNotContain("WRONG");
    }

    @Test
    void theCsvHasALineForEachFigureOfEachRun() throws Exception {
        Path file = temporary.resolve("compare.csv");
        Grid once = new Grid.Builder("calm, \"idle\"", List.of("wave", "swap1"))
                .counts("tasks lost", "tasks", List.of(0.0, Double.NaN)).build();
        Section section = new Section("E3", "conflicts", "?", List.of(once), List.of(), List.of(), List.of(),
                List.of());
        Findings one = findings(List.of());
        Findings both = Findings.ofRepeats(List.of(new Findings(one.title(), one.command(), one.started(), 1,
                one.config(), false, one.machine(), List.of(), List.of(section)),
                new Findings(one.title(), one.command(), one.started(), 2, one.config(), false, one.machine(),
                        List.of(), List.of(section))));
        assertThat(report(both, new StringWriter(), "--report", "none", "--csv", file.toString())).isZero();
        assertThat(Files.readAllLines(file)).containsExactly("experiment,table,column,what,unit,run,value",
                "E3,\"calm, \"\"idle\"\"\",wave,tasks lost,tasks,0,0.0",
                "E3,\"calm, \"\"idle\"\"\",swap1,tasks lost,tasks,0,",
                "E3,\"calm, \"\"idle\"\"\",wave,tasks lost,tasks,1,0.0",
                "E3,\"calm, \"\"idle\"\"\",swap1,tasks lost,tasks,1,");
    }

    /** Figures of a reproduction, with the published ones beside them. */
    @Test
    void theCsvOfAReproductionHasWhatIsPublishedBesideEachFigure() throws Exception {
        Path file = temporary.resolve("figures.csv");
        SimulatedReproduction.csv(file, List.of(new dev.bascule.study.experiment.Section("b", "ladder", "how", List.of(
                new Figure("throughput", "1/s", 12.5, Figure.Published.of(13, "Wave, table 3", "primary")),
                new Figure("loss", "%", Double.NaN, null)))));
        assertThat(Files.readAllLines(file)).containsExactly(
                "experiment,what,unit,kind,value,low95,high95,repeats,publishedLow,publishedHigh,source",
                "b,throughput,1/s,predicted,12.5,,,1,13.0,13.0,\"Wave, table 3\"", "b,loss,%,computed,,,,0,,,");
    }

    @ParameterizedTest
    @ValueSource(strings = { "E3,E9", "E8", "E1" })
    void whatNeedsItsAgentOnThisMachineIsRefusedWithOneThatListens(String experiments) {
        CompareCommand command = new CompareCommand();
        new CommandLine(command).parseArgs("--link", "rdma", "--peer", "10.0.0.2", "--experiment", experiments);
        assertThatThrownBy(command::call).isInstanceOf(Failure.class)
                .hasMessage(
                        "--peer: agents elsewhere are started and ended there, and choose their policy, so E3 alone can"
                                + " be played with them; add --experiment E3, or leave --peer out: the others start, kill and pause"
                                + " processes of this machine");
    }

    private static int report(Findings findings, StringWriter out, String... arguments) {
        CompareCommand command = new CompareCommand();
        CommandLine line = new CommandLine(command).setOut(new PrintWriter(out));
        line.parseArgs(arguments);
        return command.report(findings, new Progress(new PrintStream(PrintStream.nullOutputStream())));
    }
}
