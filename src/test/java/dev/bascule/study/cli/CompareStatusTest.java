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
