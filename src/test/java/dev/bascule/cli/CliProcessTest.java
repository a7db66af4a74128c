package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.ffi.Signals;
import dev.bascule.host.Counter;
import dev.bascule.host.CounterPage;
import dev.bascule.run.Errors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands as a user starts them: output, standard error and exit status. */
@Tag("process")
class CliProcessTest {
    @TempDir
    private Path temporary = Path.of("");

    @Test
    void doctorSaysThatThisMachineRunsTheMainJob() throws Exception {
        Cli doctor = Cli.run("doctor");
        assertThat(doctor.err()).isEmpty();
        assertThat(doctor.status()).as(doctor.out()).isZero();
        assertThat(doctor.out()).startsWith("Main job\n  JDK ")
                .contains("\nCards and tools\n", "hugepages 2 MiB", "IOMMU")
                .contains("The main job can run here");
    }

    @Test
    void doctorsJsonIsOneDocument() throws Exception {
        Cli doctor = Cli.run("doctor", "--json");
        assertThat(doctor.status()).isZero();
        assertThat(doctor.out()).startsWith("{").endsWith("}\n").contains("\"mainJobCanRun\": true");
    }

    @Test
    void aReaderThatHasEnoughIsNoFailureToSpeakOf() throws Exception {
        Path err = temporary.resolve("err");
        Process policies = new ProcessBuilder(Cli.command(List.of(), "policies")).redirectError(err.toFile()).start();
        policies.getInputStream().close();
        assertThat(policies.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(err)).isEmpty();
        assertThat(policies.exitValue()).isEqualTo(Errors.NO_READER);
    }

    @Test
    void devicesListsOrSaysThatThereAreNone() throws Exception {
        Cli devices = Cli.run("devices");
        assertThat(devices.status()).as(devices.err()).isZero();
        assertThat(devices.out()).containsAnyOf("Bascule driver", "This machine has no PCI");
        assertThat(Cli.run("devices", "--json").out()).startsWith("{").contains("\"devices\": [");
    }

    @Test
    void topShowsTheCountersOfAnotherProcess() throws Exception {
        try (CounterPage page = CounterPage.create(temporary, "wave")) {
            page.set(Counter.DECISIONS, 77);
            Cli top = Cli.run("top", "--once", "--json", "--attach", temporary.toString());
            assertThat(top.status()).as(top.err()).isZero();
            assertThat(top.out()).contains("\"decisions\": 77")
                    .contains("\"pid\": " + ProcessHandle.current().pid());
        }
    }

    @Test
    void topEndsByCtrlCWithStatus130() throws Exception {
        try (CounterPage page = CounterPage.create(temporary, "wave")) {
            page.set(Counter.CPUS, 1);
            Process top = new ProcessBuilder(Cli.command(List.of(), "top", "--interval", "20ms", "--json", "--attach",
                    temporary.toString())).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            try (BufferedReader lines = new BufferedReader(
                    new InputStreamReader(top.getInputStream(), StandardCharsets.UTF_8))) {
                for (int i = 0; i < 3; i++) {
                    assertThat(lines.readLine()).startsWith("{\"name\":\"wave\"");
                }
                interrupt(top);
                assertThat(top.waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertThat(top.exitValue()).isEqualTo(Errors.INTERRUPTED);
            } finally {
                top.destroyForcibly();
            }
        }
    }

    @Test
    void topEndsWhenItsHostIsGone() throws Exception {
        CounterPage.create(temporary, "wave").close();
        byte[] page = Files.readAllBytes(temporary.resolve("counters"));
        java.util.Arrays.fill(page, 16, 24, (byte) 0);
        Files.write(temporary.resolve("counters"), page);
        Cli top = Cli.run("top", "--attach", temporary.toString());
        assertThat(top.status()).isZero();
        assertThat(top.out()).contains("has ended; these are its last numbers");
    }

    @Test
    void anInterruptedRunRemovesItsRunDirectory() throws Exception {
        Path report = temporary.resolve("report.html");
        Process run = new ProcessBuilder(
                Cli.command(Cli.ONE_CARRIER, "run", "--workload", "spin", "--transport", "wave",
                        "--duration", "60s", "--load", "0.1", "--report", report.toString()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        StringBuilder said = new StringBuilder();
        List<Path> regions = List.of();
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(run.getErrorStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.append(line).append('\n');
                if (line.contains("load")) {
                    regions = regions(run.pid());
                    assertThat(regions).as("before the interrupt").isNotEmpty().allMatch(Files::exists);
                    interrupt(run);
                }
            }
            assertThat(run.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(run.exitValue()).as(said.toString()).isEqualTo(Errors.INTERRUPTED);
            assertThat(said.toString()).doesNotContain("\tat ").doesNotContain("bug in Bascule");
            assertThat(report).doesNotExist();
            for (Path region : regions) {
                assertThat(region.getParent()).doesNotExist();
            }
        } finally {
            run.destroyForcibly();
        }
    }

    /** Files in run directories that a process has mapped. */
    private static List<Path> regions(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/maps")).stream()
                .filter(line -> line.contains("/bascule-") && line.endsWith(".mem"))
                .map(line -> Path.of(line.substring(line.indexOf('/')))).distinct().toList();
    }

    private static void interrupt(Process process) {
        Signals.send(process.pid(), 2);
    }

    @Test
    void benchNamesTheCommandWhereTheProgramIsAbsent() throws Exception {
        List<String> words = new ArrayList<>(Cli.command(List.of("-Dbascule.home=/clone"), "bench", "--json"));
        words.set(words.indexOf("-cp") + 1, classPathWithoutBenchmarks());
        Process bench = new ProcessBuilder(words).redirectErrorStream(true).start();
        String output = new String(bench.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bench.waitFor()).as(output).isEqualTo(Errors.USAGE);
        assertThat(output).contains("run: /clone/scripts/bench --json");
    }

    private static String classPathWithoutBenchmarks() {
        return Stream.of(System.getProperty("java.class.path").split(":"))
                .filter(entry -> !Files.exists(Path.of(entry, "dev/bascule/bench/Main.class")))
                .collect(Collectors.joining(":"));
    }

    @Test
    void completionCompletesCommandsInBash() throws Exception {
        Cli completion = Cli.run("completion");
        assertThat(completion.status()).isZero();
        Path script = Files.writeString(temporary.resolve("bascule-completion"), completion.out());
        assertThat(bash("bash -n " + script)).isEmpty();
        String ask = "source " + script + "; COMP_WORDS=(bascule doc); COMP_CWORD=1; _complete_bascule;"
                + " echo \"${COMPREPLY[@]}\"";
        assertThat(bash(ask)).isEqualTo("doctor\n");
        assertThat(bash(ask.replace("bascule doc)", "bascule top --at)").replace("CWORD=1", "CWORD=2")))
                .contains("--attach");
    }

    @Test
    void completionCompletesCommandsInZsh() throws Exception {
        assumeThere("zsh");
        Path script = Files.writeString(temporary.resolve("bascule-completion"), Cli.run("completion", "zsh").out());
        String ask = "source " + script + " && (( $+functions[_complete_bascule] )) && print -r -- $_comps[bascule]";
        assertThat(said("zsh", "-f", "-c", ask)).contains("_complete_bascule");
    }

    @Test
    void completionCompletesCommandsOptionsAndWordsInFish() throws Exception {
        assumeThere("fish");
        Path script = Files.writeString(temporary.resolve("bascule.fish"), Cli.run("completion", "fish").out());
        assertThat(fish(script, "doct")).startsWith("doctor\tLists what Bascule can use");
        assertThat(fish(script, "top --at")).startsWith("--attach\t");
        assertThat(fish(script, "rpc be")).startsWith("bench\t");
        assertThat(fish(script, "rpc bench --st")).contains("--steer\t").doesNotContain("--attach");
        assertThat(fish(script, "pktgen --pace ")).contains("lossless").contains("recorded");
        assertThat(fish(script, "doctor ru")).doesNotContain("run");
    }

    private static String fish(Path script, String words) throws IOException, InterruptedException {
        return said("fish", "--no-config", "-c", "source " + script + "; complete -C 'bascule " + words + "'");
    }

    private static void assumeThere(String shell) throws IOException, InterruptedException {
        assumeTrue(!bash("command -v " + shell).isEmpty(), "no " + shell + " here: apt-get install " + shell);
    }

    private static String bash(String command) throws IOException, InterruptedException {
        return said("bash", "-c", command);
    }

    private static String said(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    @ParameterizedTest
    @CsvSource({ "100, 100", "40, 60", "300, 120" })
    void helpIsAsWideAsTheTerminal(int columns, int width) throws Exception {
        assumeThere("script");
        String help = onTerminal("stty cols " + columns + "; ", "help", "run");
        assertThat(help).startsWith("Usage: bascule run [OPTIONS]");
        assertThat(help.lines().filter(line -> !line.startsWith("  bascule")).mapToInt(String::length).max()
                .orElseThrow()).isBetween(width - 12, width);
        for (String example : Main.commandLine("run").getSubcommands().get("run").getCommandSpec().usageMessage()
                .footer()) {
            if (!example.startsWith(HelpFooter.EXAMPLE)) {
                continue;
            }
            assertThat(help.lines()).as("examples are lines to paste").contains(example);
        }
        assertThat(onTerminal("stty cols 100; export COLUMNS=70; ", "--help").lines().mapToInt(String::length).max()
                .orElseThrow()).as("the user's word").isBetween(60, 70);
        assertThat(Cli.run("help", "run").out().lines().filter(line -> !line.startsWith("  bascule"))
                .mapToInt(String::length).max().orElseThrow()).as("a pipe").isBetween(70, 80);
    }

    /** Output of a command on a terminal, without colours. */
    private static String onTerminal(String before, String... words) throws IOException, InterruptedException {
        String command = Cli.command(List.of("-Dpicocli.ansi=false"), words).stream().map(word -> "'" + word + "'")
                .collect(Collectors.joining(" "));
        return said("script", "-qec", before + command, "/dev/null").replace("\r", "");
    }

    @Test
    void helpForAReaderThatHasEnoughEndsWithoutAWord() throws Exception {
        String command = Cli.command(List.of(), "help").stream().map(word -> "'" + word + "'")
                .collect(Collectors.joining(" "));
        assertThat(bash(command + " | head -n 1; echo ${PIPESTATUS[0]}")).matches("Usage: bascule .*\n(0|141)\n");
    }

    @Test
    void aTypoIsAnsweredWithASuggestionAndStatusTwo() throws Exception {
        Cli typo = Cli.run("run", "--quik");
        assertThat(typo.status()).isEqualTo(Errors.USAGE);
        assertThat(typo.out()).isEmpty();
        assertThat(typo.err()).contains("called '--quik' (did you mean '--quick'?)");
    }

    @Test
    void aFailureHasNoTraceUnlessAskedFor() throws Exception {
        String[] words = { "agent", "--attach", temporary.resolve("none").toString() };
        Cli quiet = Cli.run(words);
        assertThat(quiet.status()).isEqualTo(Errors.FAILED);
        assertThat(quiet.err()).startsWith("bascule: ").doesNotContain("\tat ");
        Cli loud = Cli.run(List.of("-Dbascule.debug=true"), words);
        assertThat(loud.status()).isEqualTo(Errors.FAILED);
        assertThat(loud.err()).contains("\tat ").contains("bascule: ");
    }

    @Test
    void aConfigurationWithATypoIsOneMessage() throws Exception {
        Path config = Files.writeString(temporary.resolve("typo.yaml"), "nmae: x\n");
        Cli run = Cli.run("run", "--quick", "--config", config.toString());
        assertThat(run.status()).isEqualTo(Errors.FAILED);
        assertThat(run.err()).contains("typo.yaml:1:1").doesNotContain("\tat ");
    }

    @Test
    void withoutRocksDbTheRunNamesTheAlternative() throws Exception {
        List<String> words = new ArrayList<>(Cli.command(List.of(), "run", "--quick", "--report", "none"));
        words.set(words.indexOf("-cp") + 1, Stream.of(System.getProperty("java.class.path").split(":"))
                .filter(entry -> !entry.contains("rocksdbjni")).collect(Collectors.joining(":")));
        Process run = new ProcessBuilder(words).redirectErrorStream(true).start();
        String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(run.waitFor()).as(output).isEqualTo(Errors.FAILED);
        assertThat(output).contains("rocksdbjni").contains("--workload spin").doesNotContain("\tat ");
    }

    @Test
    void aConfigurationWithAWrongTypeOrADoubleKeyIsOneMessage() throws Exception {
        for (String text : List.of("kind: loopback\nrdma: {port: many}\n", "kind: loopback\nkind: loopback\n")) {
            Path config = Files.writeString(temporary.resolve("wrong.yaml"), text);
            Cli run = Cli.run("run", "--quick", "--config", config.toString());
            assertThat(run.status()).isEqualTo(Errors.FAILED);
            assertThat(run.err()).contains("wrong.yaml:2:").doesNotContain("\tat ");
        }
    }
}
