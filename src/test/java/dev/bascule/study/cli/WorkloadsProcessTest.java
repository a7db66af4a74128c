package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.cli.Cli;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loads of the simulated host that are no open stream of jobs, by their keys. */
@Tag("process")
class WorkloadsProcessTest {
    @TempDir
    private Path folder;

    private static String row(String... keys) throws Exception {
        String[] words = new String[keys.length + 2];
        words[0] = "sim";
        words[1] = "--json";
        System.arraycopy(keys, 0, words, 2, keys.length);
        Cli cli = Cli.run(words);
        assertThat(cli.status()).as(cli.err()).isZero();
        assertThat(number(cli.out(), "littleErrorNanos")).isZero();
        assertThat(number(cli.out(), "incidents")).isZero();
        return cli.out();
    }

    private static double number(String row, String key) {
        Matcher found = Pattern.compile("\"" + key + "\":([-0-9.eE]+)").matcher(row);
        assertThat(found.find()).as(key + " in " + row).isTrue();
        return Double.parseDouble(found.group(1));
    }

    @Test
    void aChainHasAJobForEachStageAndTheLoadThatWasAskedFor() throws Exception {
        String two = row("mix=chain", "stages=4000:6000", "cpus=4", "load=0.4", "jobs=2000");
        String four = row("mix=chain", "stages=1000:2000:3000:4000", "cpus=4", "load=0.4", "jobs=2000");
        assertThat(number(two, "done")).as("chains of 2").isCloseTo(2 * 2000, within(300.0));
        assertThat(number(four, "done")).as("chains of 4").isCloseTo(4 * 2000, within(600.0));
        assertThat(number(two, "cpusOfWork")).isCloseTo(0.4 * 4, within(0.15));
        assertThat(row("mix=chain", "stages=4000:6000", "cpus=4", "load=0.4", "jobs=2000")).isEqualTo(two);
        assertThat(row("mix=chain", "stages=4000:6000", "cpus=4", "load=0.4", "jobs=2000", "policy=darc"))
                .contains("\"policy\":\"darc\"");
    }

    @Test
    void theJobsOfAClosedLoopAreItsClientsAtMostAndThinkBetween() throws Exception {
        String lonely = row("mix=fixed", "clients=1", "think=9000", "cpus=2", "jobs=2000", "transport=on-host");
        assertThat(lonely).contains("\"load\":\"\"");
        assertThat(number(lonely, "cpusOfWork")).as("1 us of work in each 10 us and a bit").isBetween(0.05, 0.1);
        String crowd = row("mix=fixed", "clients=400", "think=0", "cpus=2", "jobs=20000", "transport=on-host");
        double response = number(crowd, "p50Nanos");
        assertThat(number(crowd, "throughputPerSecond") * response / 1e9).as("clients, by Little")
                .isCloseTo(400, within(40.0));
    }

    @Test
    void aSweepOverClientsIsDrawnOverTheLoadItCameTo() throws Exception {
        Path file = folder.resolve("closed.jsonl");
        Path page = folder.resolve("closed.html");
        String[] sweep = { "sweep", "clients=1,16", "think=20000", "mix=exponential", "cpus=1", "jobs=1000", "--out",
                file.toString(), "--report", page.toString() };
        Cli first = Cli.run(sweep);
        assertThat(first.status()).as(first.err()).isZero();
        List<String> rows = Files.readAllLines(file);
        assertThat(rows).hasSize(2);
        assertThat(Cli.run(sweep).err()).as("nothing is run again").contains("0 of 2 points to run");
        assertThat(SweepCurves.read(file)).as("one curve").hasSize(1);
        assertThat(SweepCurves.read(file).values().iterator().next()).extracting(p -> p.load())
                .allMatch(load -> load > 0 && load <= 1).isSorted();
        assertThat(Files.readString(page)).contains("<svg");
    }
}
