package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.DecisionLedger;
import dev.bascule.agent.DecisionLedgerCheck;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.ffi.Signals;
import dev.bascule.local.LocalProtocol;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents as real processes that are killed and stopped while they decide: every job still runs exactly once. */
@Tag("process")
class ProcessFaultTest {
    private static final int SIGCONT = 18;
    private static final int SIGSTOP = 19;

    private static final EnclaveShape SHAPE = new EnclaveShape(1, 64, 1, 256, 2);
    private static final int JOBS = 60_000;

    @TempDir
    private Path directory;

    private final AtomicIntegerArray runs = new AtomicIntegerArray(JOBS);
    private final DecisionLedger ledger = new DecisionLedger();

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void anAgentKilledAgainAndAgainLosesNoJob(String transport) throws Exception {
        serveWhile(transport, running -> {
            SplittableRandom random = new SplittableRandom(1);
            for (int kill = 0; kill < 3; kill++) {
                awaitAgents(running, kill + 1);
                pause(random.nextInt(40));
                running.agents().newest().crash();
            }
        }, 3);
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void anAgentThatIsStoppedAndGoesOnAsAZombieLosesNoJob(String transport) throws Exception {
        serveWhile(transport, running -> {
            awaitAgents(running, 1);
            long pid = running.agents().newest().pid();
            Signals.send(pid, SIGSTOP);
            awaitAgents(running, 2);
            Signals.send(pid, SIGCONT);
            pause(50);
        }, 1);
    }

    /** A fault to inflict while jobs are served. */
    private interface Fault {
        void inflict(Running running) throws Exception;
    }

    /** What a fault may touch. */
    private record Running(LiveHost host, SparedAgents agents) {}

    private void serveWhile(String transport, Fault fault, int leastFences) throws Exception {
        Session session = switch (transport) {
            case WaveProtocol.NAME -> Session.wave(directory, LinkSetup.DEFAULT, false);
            case SwapProtocol.NAME -> Session.swap(directory, LinkSetup.DEFAULT, false);
            default -> Session.onHost(directory, false);
        };
        SparedAgents agents = new SparedAgents(AgentProcess.ownCommand(List.of("-XX:+UseSerialGC", "-Xmx64m"),
                List.of("agent", "--child", "--attach", directory.toString(), "--transport", transport)),
                directory.resolve("agent.log"));
        try (session) {
            MechanismEnd end = session.openHost(SHAPE);
            List<Throwable> failures = new ArrayList<>();
            try (LiveHost host = new LiveHost(end, new Mechanism(end, System::nanoTime, ledger), LiveOptions.of(1),
                    agents, (job, yield) -> runs.incrementAndGet(job))) {
                host.start();
                Thread tormentor = Thread.ofPlatform().daemon().start(() -> {
                    try {
                        fault.inflict(new Running(host, agents));
                    } catch (Throwable e) {
                        failures.add(e);
                    }
                });
                while (tormentor.isAlive()) {
                    serveOnce(host);
                }
                serveOnce(host);
                assertThat(failures).isEmpty();
                assertThat(host.counters().fences()).as("fences: %s", host.incidents())
                        .isGreaterThanOrEqualTo(leastFences);
            }
        }
        assertThat(DecisionLedgerCheck.compare(ledger, List.of())).isEmpty();
    }

    /** Fences without killing: what a supervisor that cannot reach the NIC does. Old agents live on as zombies. */
    private static final class SparedAgents implements AgentSupervisor {
        private final List<String> command;
        private final Path log;
        private final List<AgentProcess> all = new CopyOnWriteArrayList<>();

        SparedAgents(List<String> command, Path log) {
            this.command = command;
            this.log = log;
        }

        AgentProcess newest() {
            return all.get(all.size() - 1);
        }

        @Override
        public void start() {
            AgentProcess agent = new AgentProcess(command, log);
            agent.start();
            all.add(agent);
        }

        @Override
        public boolean hasExited() {
            return newest().hasExited();
        }

        @Override
        public void kill() {
            // spared
        }

        @Override
        public String exitReport() {
            return newest().exitReport();
        }

        @Override
        public void close() {
            all.forEach(AgentProcess::close);
        }
    }

    private void serveOnce(LiveHost host) throws InterruptedException {
        int[] next = new int[1];
        long start = System.nanoTime();
        JobSource source = new JobSource() {
            @Override
            public long nextDueNanos() {
                return next[0] == JOBS ? NO_MORE : start + next[0] * 10_000L;
            }

            @Override
            public int take() {
                return next[0]++;
            }

            @Override
            public void rejected(int job) {
                runs.incrementAndGet(job);
            }
        };
        for (int job = 0; job < JOBS; job++) {
            runs.set(job, 0);
        }
        assertThat(host.serve(source, 60_000_000_000L)).as("all jobs ended").isTrue();
        for (int job = 0; job < JOBS; job++) {
            assertThat(runs.get(job)).as("runs of job %d", job).isEqualTo(1);
        }
    }

    private static void awaitAgents(Running running, int started) {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (running.agents().all.size() < started || !running.host().isAgentReady()) {
            assertThat(System.nanoTime()).as("agent ready: %s", running.host().incidents()).isLessThan(deadline);
            pause(2);
        }
    }

    private static void pause(long millis) {
        java.util.concurrent.locks.LockSupport.parkNanos(millis * 1_000_000L);
    }
}
