package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.DecisionLedger;
import dev.bascule.agent.DecisionLedgerCheck;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.local.LocalProtocol;
import dev.bascule.wave.WaveProtocol;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The agent as a process of another instruction set, as on a SmartNIC's Arm cores: the same shared memory, the same
 * layouts. Emulation is slow and does not show Arm's memory order; what passes is the logic and the formats.
 */
@Tag("long")
class Aarch64AgentTest {
    private static final EnclaveShape SHAPE = new EnclaveShape(1, 64, 1, 256, 2);
    private static final int JOBS = 30_000;
    private static final long PATIENCE_NANOS = 120_000_000_000L;
    private static final Path JAVA = Path.of(System.getProperty("bascule.baseDirectory", "")).toAbsolutePath()
            .resolve("scripts/java-aarch64");

    @TempDir
    private Path directory = Path.of("");

    @BeforeEach
    void needsAnAarch64Java() throws Exception {
        Process check = new ProcessBuilder(JAVA.toString(), "--check").redirectErrorStream(true).start();
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        Assumptions.assumeTrue(check.waitFor() == 0, "no aarch64 Java: " + said);
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME })
    void anAgentOnArmDecidesForAHostOnX86(String transport) throws Exception {
        Session session = transport.equals(WaveProtocol.NAME)
                ? Session.wave(directory, LinkSetup.DEFAULT, false)
                : Session.onHost(directory, false);
        AgentProcess agent = new AgentProcess(List.of(JAVA.toString(), "-XX:+UseSerialGC", "-Xmx64m", "-Xshare:auto",
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                "dev.bascule.cli.Main", "agent", "--child", "--attach", directory.toString(), "--transport", transport),
                directory.resolve("agent.log"));
        AtomicIntegerArray runs = new AtomicIntegerArray(JOBS);
        DecisionLedger ledger = new DecisionLedger();
        // the emulated agent is some ten times slower: the host waits longer before it helps itself
        LiveOptions options = new LiveOptions(64, 1, 1 << 16, 20_000_000, 2_000_000_000, true);
        try (session) {
            MechanismEnd end = session.openHost(SHAPE);
            Mechanism mechanism = new Mechanism(end, System::nanoTime, ledger);
            try (LiveHost host = new LiveHost(end, mechanism, options, agent,
                    (job, yield) -> runs.incrementAndGet(job))) {
                host.start();
                awaitReady(host);
                assertThat(host.serve(new Steady(), PATIENCE_NANOS)).as("all jobs ended").isTrue();
                for (int job = 0; job < JOBS; job++) {
                    assertThat(runs.get(job)).as("runs of job %d", job).isEqualTo(1);
                }
                assertThat(host.counters().switches() - host.counters().localDecisions())
                        .as("decisions of the agent; %s", host.incidents()).isGreaterThan(JOBS / 10);
            }
        }
        assertThat(DecisionLedgerCheck.compare(ledger, List.of())).isEmpty();
    }

    private static void awaitReady(LiveHost host) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!host.isAgentReady()) {
            assertThat(System.nanoTime()).as("agent ready: %s", host.incidents()).isLessThan(deadline);
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** A job every 100 us. */
    private static final class Steady implements JobSource {
        private final long start = System.nanoTime();
        private int next;

        @Override
        public long nextDueNanos() {
            return next == JOBS ? NO_MORE : start + next * 100_000L;
        }

        @Override
        public int take() {
            return next++;
        }

        @Override
        public void rejected(int job) {
            throw new AssertionError("no job may be refused: " + job);
        }
    }
}
