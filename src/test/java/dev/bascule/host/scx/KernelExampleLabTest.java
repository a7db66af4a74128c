package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.lab.Lab;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code scripts/kernel-example} as people run it, shorter. What is faster under whom is no question here. */
@Tag("scx")
class KernelExampleLabTest {
    private static final long PATIENCE_SECONDS = 240;
    private static final Pattern SUMMARY = Pattern.compile("(\\d+) switches; (\\d+) decisions in force");
    private static final Pattern STARVED = Pattern.compile("(\\d+) for threads that starved");
    private static final Path GROUP = Path.of("/sys/fs/cgroup/bascule-example");

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void inTheLab() {
        Lab.require();
    }

    /** What a run has printed: its rows have the figure under the agent, then that of the kernel's own scheduler. */
    private record Said(String text) {
        long here(String row) {
            return cell(row, 1);
        }

        long before(String row) {
            return cell(row, 2);
        }

        private long cell(String row, int column) {
            Matcher found = Pattern.compile("(?m)^" + Pattern.quote(row) + " +([\\d,]+) +([\\d,]+) ").matcher(text);
            assertThat(found.find()).as("no row '%s' with two figures in: %s", row, text).isTrue();
            return Long.parseLong(found.group(column).replace(",", ""));
        }

        long of(Pattern pattern, int group) {
            Matcher found = pattern.matcher(text);
            assertThat(found.find()).as("no '%s' in: %s", pattern, text).isTrue();
            return Long.parseLong(found.group(group));
        }
    }

    /** To its end, with the agent as a thread of the command, as each JVM takes long in this machine. */
    private Said run(String kind, String... more) throws Exception {
        File out = folder.resolve(kind).toFile();
        List<String> words = new ArrayList<>(List.of(Lab.HOME.resolve("scripts/kernel-example").toString(), kind,
                "--kernel", "--in-process"));
        words.addAll(List.of(more));
        ProcessBuilder builder = new ProcessBuilder(words).redirectInput(new File("/dev/null")).redirectOutput(out)
                .redirectErrorStream(true);
        builder.environment().put("BASCULE_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
        long started = System.nanoTime();
        Process process = builder.start();
        boolean hasEnded = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (!hasEnded) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String text = Files.readString(out.toPath());
        System.out.println("scx: " + kind + " after " + (System.nanoTime() - started) / 1_000_000 + " ms: " + text);
        assertThat(hasEnded).as("it ends: %s", text).isTrue();
        assertThat(process.exitValue()).as(text).isZero();
        return new Said(text);
    }

    private static void assertRuled(Said said, long threads) {
        assertThat(said.here("threads in the class that an agent rules")).as(said.text).isEqualTo(threads);
        assertThat(said.before("threads in the class that an agent rules")).as(said.text).isZero();
        assertThat(said.of(SUMMARY, 1)).as("switches: %s", said.text).isPositive();
        assertThat(said.of(SUMMARY, 2)).as("decisions in force: %s", said.text).isPositive();
        if (STARVED.matcher(said.text).find()) { // else nothing at all was decided by the kernel's side
            assertThat(said.of(STARVED, 1)).as("threads that starved: %s", said.text).isZero();
        }
    }

    @ByTurns(of = 2, place = 1)
    @Test
    void aStoresThreadsRunUnderTheKernelsSchedulerThenUnderAnAgent() throws Exception {
        Said said = run("store", "--duration", "2s", "--demo", "--keys 1000 --rate 40");
        assertRuled(said, 8);
        for (String row : List.of("GETs answered", "RANGEs answered")) {
            assertThat(said.here(row)).as(row).isPositive();
            assertThat(said.before(row)).as(row).isPositive();
        }
        assertThat(said.here("GETs answered")).as("open loop: in both runs the same requests are due")
                .isEqualTo(said.before("GETs answered"));
        assertThat(said.here("wrong answers") + said.before("wrong answers")).isZero();
    }

    @Test
    @Tag("more")
    void aPlayersFramesAreMadeBesideACompileInAnotherGroup() throws Exception {
        Path compiled = folder.resolve("compiled");
        Said said = run("player", "--duration", "2s", "--demo", "--period 100ms --work 5ms", "--", "sh", "-c",
                "while echo 'int one;' | cc -x c -c -o /dev/null -; do echo x >>\"$0\"; done", compiled.toString());
        assertRuled(said, 1);
        assertThat(said.here("frames")).isEqualTo(20);
        assertThat(said.before("frames")).isEqualTo(20);
        assertThat(compiled).as("the compile has run, too").isNotEmptyFile();
        assertThat(GROUP).as("what the script has made is gone").doesNotExist();
    }
}
