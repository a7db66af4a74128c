package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.Session;
import dev.bascule.junit.ByTurns;
import dev.bascule.local.LocalProtocol;
import dev.bascule.run.Errors;
import dev.bascule.run.Transports;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user sees who starts an agent as it was not meant. */
@Tag("process")
@Timeout(120)
class AgentMistakesProcessTest {
    @TempDir
    private Path folder = Path.of("");

    private Session host(String transport) {
        Session session = Transports.open(transport, folder, LinkSetup.DEFAULT, false);
        session.openHost(EnclaveShape.of(2, 8));
        return session;
    }

    private Cli agent(String transport, String... more) throws Exception {
        return Cli.run(Stream.concat(Stream.of("agent", "--attach", folder.toString(), "--transport", transport),
                Stream.of(more)).toArray(String[]::new));
    }

    private static void refused(Cli cli, String... words) {
        assertThat(cli.status()).as(cli.out() + cli.err()).isEqualTo(Errors.FAILED);
        assertThat(cli.err()).startsWith("bascule: ").contains(words).doesNotContain("\tat ").doesNotContain("bug in");
    }

    private Map<String, String> files() throws Exception {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(file.getFileName().toString(),
                        new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            }
        }
        return files;
    }

    @ParameterizedTest
    @CsvSource({ "on-host,wave", "on-host,swap", "wave,on-host", "wave,swap", "swap,on-host", "swap,wave" })
    void anAgentOnTheWrongTransportIsToldBothNames(String ofHost, String ofAgent) throws Exception {
        try (Session host = host(ofHost)) {
            refused(agent(ofAgent), "transport " + ofHost + ",", "this agent " + ofAgent + ";",
                    "--transport " + ofHost);
        }
    }

    @ParameterizedTest
    @CsvSource({ "on-host,3", "wave,3", "swap,3" })
    void anAgentWithAWrongNumberIsRefusedBeforeAByteIsWritten(String transport, int number) throws Exception {
        try (Session host = host(transport)) {
            Map<String, String> before = files();
            refused(agent(transport, "--agent=" + number), "agent " + number, "for 1 agent, number 0");
            assertThat(files().equals(before)).as("the region is as it was").isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void anAgentBeforeItsHostSaysWhatItNeeds(String transport) throws Exception {
        refused(agent(transport), folder.toString(), "start the host");
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void anAgentOfAWrongPathIsToldWhichAndMakesNothingThere(String transport) throws Exception {
        Path wrong = folder.resolve("typo");
        refused(Cli.call("agent", "--attach", wrong.toString(), "--transport", transport), wrong.toString(),
                "start the host", "name its run directory");
        assertThat(wrong).doesNotExist();
        Path file = Files.writeString(folder.resolve("file"), "no folder");
        refused(Cli.call("agent", "--attach", file.toString(), "--transport", transport), file.toString());
        assertThat(file).hasContent("no folder");
    }

    /** The agent is a process of its own; its stack comes from its JVM. */
    @ByTurns(of = 2)
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "Thrower | on-host | threw IllegalStateException: broken policy at dev.bascule.cli.BadPolicies$Thrower.doWork (BadPolicies.java:",
            "Mute | wave | the agent's policy was at dev.bascule.cli.BadPolicies$Mute.doWork (BadPolicies.java:" })
    void aRunNamesThePolicyThatFailedItsLineAndTheLogThatHasItsStack(String policy, String transport, String words)
            throws Exception {
        Cli run = Cli.run(
                Cli.ONE_CARRIER,
                "run", "--quick", "--workload", "spin", "--transport", transport, "--load", "0.2", "--duration", "1s",
                "--capacity", "5000", "--report", "none", "--region", folder.toString(), "--policy",
                BadPolicies.class.getName() + "$" + policy);
        assertThat(run.status()).as(run.err()).isEqualTo(Errors.FAILED);
        Path log = folder.resolve("agent.log");
        assertThat(run.out()).contains(words).contains("; its stack is in " + log).doesNotContain("bug in");
        assertThat(Files.readString(log))
                .containsPattern("\tat dev.bascule.cli.BadPolicies.{1,2}" + policy + ".doWork\\(")
                .doesNotContain("bug in");
    }

    /** A folder of a run goes, at the latest with the next run; the report and what it names stay. */
    @Test
    void theStackOfAPolicyThatFailedIsKeptBesideTheReport() throws Exception {
        Path report = folder.resolve("page.html");
        Cli run = Cli.run(Cli.ONE_CARRIER, "run", "--quick", "--workload", "spin", "--transport", "on-host", "--load",
                "0.2", "--duration", "1s", "--capacity", "5000", "--report", report.toString(), "--policy",
                BadPolicies.class.getName() + "$Thrower");
        assertThat(run.status()).as(run.err()).isEqualTo(Errors.FAILED);
        Path log = folder.resolve("page.on-host.agent.log");
        assertThat(run.out()).contains("; its stack is in " + log).doesNotContain("stack is in /dev/shm");
        assertThat(Files.readString(report)).contains("its stack is in " + log);
        assertThat(Files.readString(log)).contains("\tat dev.bascule.cli.BadPolicies$Thrower.doWork(");
    }

    @Test
    void anAgentThatStaysSaysWhatItWaitsForAndThatItHasAttached() throws Exception {
        Process agent = new ProcessBuilder(Cli.command(List.of(), "agent", "--attach", folder.toString(),
                "--transport", LocalProtocol.NAME, "--stay")).redirectErrorStream(true).start();
        try (BufferedReader says = new BufferedReader(
                new InputStreamReader(agent.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(says.readLine()).startsWith("bascule: agent 0 waiting; ").contains(folder.toString(),
                    "start the host first");
            try (Session wrong = host(WaveProtocol.NAME)) {
                assertThat(says.readLine()).startsWith("bascule: agent 0 waiting; ")
                        .contains("transport wave, this agent on-host");
            }
            assertThat(says.readLine()).as("its host is gone").contains("waiting; ", "start the host first");
            try (Session right = host(LocalProtocol.NAME)) {
                assertThat(says.readLine()).startsWith("bascule: agent 0 attached over on-host to " + folder);
            }
        } finally {
            agent.destroyForcibly();
        }
    }
}
