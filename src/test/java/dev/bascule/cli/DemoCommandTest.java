package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.workload.RocksDbLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs that are there to be ruled, under the kernel's own scheduler. */
class DemoCommandTest {
    @TempDir
    private Path folder = Path.of("");

    private Map<String, Double> kept(String name) throws IOException {
        return Files.readAllLines(folder.resolve(name)).stream().map(line -> line.split("\t", -1))
                .collect(Collectors.toMap(parts -> parts[0], parts -> Double.valueOf(parts[1])));
    }

    @Test
    void aPlayerMakesAFrameEachPeriodAndIsSetBesideAnotherRun() throws IOException {
        String kept = folder.resolve("kept").toString();
        Cli first = Cli.call("demo", "player", "--period", "10ms", "--work", "100us", "--duration", "300ms", "--save",
                kept);
        assertThat(first.status()).as(first.err()).isZero();
        assertThat(kept("kept")).containsEntry("frames", 30.0)
                .containsEntry("threads in the class that an agent rules", 0.0);
        assertThat(kept("kept").get("frame p50, us")).isGreaterThan(0);
        Cli second = Cli.call("demo", "player", "--period", "10ms", "--work", "100us", "--duration", "600ms",
                "--against", kept);
        assertThat(second.out()).contains("here/before").containsPattern("frames +60 +30 +2.00");
    }

    @Test
    void aFrameThatTakesLongerThanItsPeriodIsRefused() {
        Cli said = Cli.call("demo", "player", "--period", "1ms", "--work", "1ms");
        assertThat(said.status()).isNotZero();
        assertThat(said.err()).contains("--period 1ms");
    }

    @Test
    void aFileThatHoldsNoFiguresIsNamed() throws IOException {
        Path file = Files.writeString(folder.resolve("text"), "not a figure\n");
        assertThat(Cli.call("demo", "player", "--against", file.toString()).err()).contains(file.toString(),
                "not a figure");
        Files.writeString(file, "frames\tmany\n");
        assertThat(Cli.call("demo", "player", "--against", file.toString()).err()).contains(file.toString(), "many");
        assertThat(Cli.call("demo", "player", "--against", folder.resolve("none").toString()).err()).contains("--save");
    }

    @Test
    void everyThreadOfTheStoreAnswersAndEveryAnswerIsRight() throws IOException {
        Assumptions.assumeTrue(RocksDbLibrary.problem().isEmpty(), "RocksDB is not there");
        Cli said = Cli.call("demo", "store", "--gets", "2", "--rate", "200", "--ranges", "1", "--keys", "2000",
                "--duration", "1s", "--save", folder.resolve("kept").toString());
        assertThat(said.status()).as(said.err()).isZero();
        Map<String, Double> kept = kept("kept");
        assertThat(kept.get("GETs answered")).isBetween(100.0, 300.0); // of 200, by a seed
        assertThat(kept.get("RANGEs answered")).isGreaterThan(0);
        assertThat(kept.get("GET p99, us")).isGreaterThanOrEqualTo(kept.get("GET p50, us"));
        assertThat(kept).containsEntry("wrong answers", 0.0);
    }

    @Test
    void noThreadsAreRefused() {
        assertThat(Cli.call("demo", "store", "--gets", "0", "--ranges", "0").err()).contains("--gets 0 --ranges 0");
        assertThat(Cli.call("demo", "store", "--rate", "0").err()).contains("--rate 0");
    }
}
