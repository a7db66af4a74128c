package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.Cli;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sweep that is killed in the middle, and goes on. */
@Tag("process")
class SweepProcessTest {
    private static final String[] LOADS = { "0.1", "0.3", "0.5", "0.6", "0.8" };

    @TempDir
    private Path folder;

    private String[] sweep(Path file) {
        return new String[] { "sweep", "cpus=4", "jobs=20000", "load=" + String.join(",", LOADS), "--parallel", "2",
                "--out", file.toString() };
    }

    @Test
    void aKilledSweepLosesAtMostThePointsThatWereRunning() throws Exception {
        Path file = folder.resolve("sweep.jsonl");
        Process killed = new ProcessBuilder(Cli.command(List.of(), sweep(file)))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try {
            for (int i = 0; i < 1200 && rows(file) < 2; i++) {
                Thread.sleep(50);
            }
            List<ProcessHandle> points = killed.descendants().toList();
            killed.destroyForcibly();
            assertThat(killed.waitFor(30, TimeUnit.SECONDS)).isTrue();
            points.forEach(ProcessHandle::destroyForcibly);
        } finally {
            killed.destroyForcibly();
        }
        int before = rows(file);
        String kept = Files.readString(file);
        assertThat(before).isBetween(2, LOADS.length);
        Cli again = Cli.run(sweep(file));
        assertThat(again.status()).as(again.err()).isZero();
        assertThat(again.err()).contains((LOADS.length - before) + " of " + LOADS.length + " points to run");
        assertThat(again.out()).contains("5 of 5 points");
        assertThat(Files.readString(file)).as("what was there stays").startsWith(kept.substring(0,
                kept.lastIndexOf('\n') + 1));
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(LOADS.length).allMatch(line -> line.endsWith("}"));
        for (String load : LOADS) {
            assertThat(lines).as("load %s, once", load).filteredOn(line -> line.contains("\"load\":\"" + load + "\""))
                    .hasSize(1);
        }
    }

    @Test
    void twoSweepsOnOneFileWriteEachPointOnce() throws Exception {
        Path file = folder.resolve("shared.jsonl");
        List<Process> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            both.add(new ProcessBuilder(Cli.command(List.of(), sweep(file)))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start());
        }
        for (Process one : both) {
            assertThat(one.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(one.exitValue()).isZero();
        }
        assertThat(Files.readAllLines(file)).hasSize(LOADS.length).allMatch(line -> line.endsWith("}"));
    }

    private static int rows(Path file) throws Exception {
        return Files.exists(file) ? (int) Files.readString(file).chars().filter(c -> c == '\n').count() : 0;
    }
}
