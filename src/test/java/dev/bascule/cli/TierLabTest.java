package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * RocksDB under {@code bascule tier} on a machine whose second NUMA node has memory and no CPU, with the access bits of
 * DAMON. LabLane says how that machine is started.
 */
@Tag("lab")
@Tag("more")
class TierLabTest {
    private static final Pattern FAST = Pattern.compile("\"fastBytes\": (\\d+)");
    private static final long PATIENCE_SECONDS = 400;

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void isThere() {
        Lab.require();
        Assumptions.assumeTrue(Files.exists(Path.of("/sys/devices/system/node/node1")),
                "the machine has one NUMA node: scripts/lab with -numa");
    }

    /** The kernel's own users of DAMON stand back. */
    @BeforeEach
    void freeDamon() throws IOException {
        for (String module : List.of("damon_stat", "damon_reclaim", "damon_lru_sort")) {
            Path enabled = Path.of("/sys/module", module, "parameters", "enabled");
            if (Files.exists(enabled)) {
                Files.writeString(enabled, "N");
            }
        }
    }

    @Test
    void whatRocksDbDoesNotReadMovesToTheOtherNodeAndEveryValueIsThere() throws Exception {
        Path ops = folder.resolve("ops");
        Path said = folder.resolve("said.txt");
        List<String> words = new ArrayList<>(List.of("tier", "--to", "node:1", "--source", "damon", "--period", "500ms",
                "--budget", "0.5", "--watch", "20s", "--most-slow", "0.5", "--json", "--ops", ops.toString(), "--",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Xms16m", "-Xmx32m", "-cp", System.getProperty("java.class.path"),
                RocksDbWindow.class.getName(), folder.resolve("db").toString(), "24000", "80", "6", ops.toString()));
        Process run = new ProcessBuilder(Cli.command(List.of(), words.toArray(new String[0]))).redirectErrorStream(true)
                .redirectOutput(said.toFile()).start();
        boolean ended = run.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        run.destroyForcibly();
        String text = Files.readString(said);
        System.out.println(text.replaceAll("(?s)\"memory\".*", ""));
        assertThat(ended).as(text).isTrue();
        assertThat(run.exitValue()).as(text).isEqualTo(RocksDbWindow.GOOD);
        assertThat(text).contains("every value is what was written", "\"source\": \"damon", "\"to\": \"node:1",
                "lostPercent");
        long most = 0;
        long last = 0;
        Matcher samples = FAST.matcher(text);
        while (samples.find()) {
            last = Long.parseLong(samples.group(1));
            most = Math.max(most, last);
        }
        assertThat(last).as("bytes in fast memory, of " + most).isPositive().isLessThan(most);
    }
}
