package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The region in a served SmartNIC, as users have it: {@code serve} in one process, the host drives the function by
 * vfio-user in another, the agent is one of the card's cores in a third.
 */
@Tag("process")
class CardProcessTest {
    private static final Pattern NUMBER = Pattern.compile("\"(served|lost|duplicated|made|local)\": (\\d+)");

    @TempDir
    private Path folder = Path.of("");

    private final List<Process> processes = new ArrayList<>();

    @BeforeEach
    void serve() throws Exception {
        Files.writeString(config(), """
                kind: pci
                device: {ids: "1234:ba5c", driver: smartnic, seen: simulated}
                region: {device: "%s"}
                doorbell: {bar: 0, offset: 0x1000, width: 4, value: 1}
                cores: {memory: socket, path: "%s"}
                watchdog: {softWindow: 20 ms, hardLimit: 5 s}
                """.formatted(folder.resolve("nic0"), folder.resolve("cores")));
        start("serve", Cli.command(List.of(), "serve", "--device", "smartnic", "--socket",
                folder.resolve("nic0").toString(), "--cores", folder.resolve("cores").toString()));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.exists(folder.resolve("cores"))) {
            assertThat(System.nanoTime() - deadline).as(said("serve")).isNegative();
            Thread.sleep(20);
        }
    }

    private Path config() {
        return folder.resolve("card.yaml");
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes.reversed()) {
            process.destroy();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private Process start(String name, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile()).start();
        processes.add(process);
        return process;
    }

    private String said(String name) throws IOException {
        return name + ": " + Files.readString(folder.resolve(name + ".log"));
    }

    private Cli run(String... more) throws Exception {
        List<String> words = new ArrayList<>(
                List.of("run", "--device", config().toString(), "--workload", "spin", "--mix",
                        "short-bimodal", "--quick", "--capacity", "20000", "--load", "0.1", "--duration", "500ms",
                        "--cpus", "1",
                        "--no-pin", "--interrupt", "--report", "none", "--fallback-limit", "1", "--json"));
        words.addAll(List.of(more));
        return Cli.run(words.toArray(String[]::new));
    }

    private static void assertServed(Cli run, int transports) {
        assertThat(run.status()).as(run.err() + run.out()).isZero();
        assertThat(values(run.out(), "served")).as(run.err()).hasSize(transports).allMatch(count -> count > 0);
        assertThat(values(run.out(), "made")).as("decisions of the agent: " + run.err()).allMatch(count -> count > 0);
        assertThat(values(run.out(), "lost")).allMatch(count -> count == 0);
        assertThat(values(run.out(), "duplicated")).allMatch(count -> count == 0);
    }

    private static List<Long> values(String json, String name) {
        List<Long> found = new ArrayList<>();
        Matcher matcher = NUMBER.matcher(json);
        while (matcher.find()) {
            if (matcher.group(1).equals(name)) {
                found.add(Long.parseLong(matcher.group(2)));
            }
        }
        return found;
    }

    @Test
    void bothTransportsServeOverTheCardWithTheirAgentOnItsCores() throws Exception {
        assertServed(run("--transport", "wave,swap"), 2);
        assertThat(said("serve")).contains("connected: process").contains("cores: process");
    }

    @Test
    void agentsAreStartedOnTheCardByACommandOfTheUsers() throws Exception {
        Path bascule = Files.writeString(folder.resolve("there"), "#!/bin/sh\necho \"$@\" >>" + folder + "/asked\nexec "
                + String.join(" ", Cli.command(List.of())) + " \"$@\"\n");
        assertThat(bascule.toFile().setExecutable(true)).isTrue();
        assertServed(run("--transport", "wave", "--agent-command", "nice " + bascule), 1);
        assertThat(Files.readString(folder.resolve("asked"))).contains("agent --child --device " + config())
                .contains("--transport wave");
    }

    @Test
    void anAgentStartedByHandServesWhateverTransportTheHostUses() throws Exception {
        Process agent = start("agent",
                Cli.command(List.of(), "agent", "--device", config().toString(), "--transport", "any", "--stay"));
        assertServed(run("--transport", "swap", "--external-agent"), 1);
        assertServed(run("--transport", "wave", "--external-agent"), 1);
        assertThat(agent.isAlive()).as(said("agent")).isTrue();
        assertThat(said("agent")).contains("attached over");
    }
}
