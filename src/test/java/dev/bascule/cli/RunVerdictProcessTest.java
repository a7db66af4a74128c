package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.Message;
import dev.bascule.device.DeviceException;
import dev.bascule.host.Session;
import dev.bascule.junit.ByTurns;
import dev.bascule.local.LocalProtocol;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.run.Errors;
import dev.bascule.run.RunAgents;
import dev.bascule.run.Transports;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user of {@code run} is told of who decided. */
@Tag("process")
@Timeout(120)
class RunVerdictProcessTest {

    @TempDir
    private Path region = Path.of("");

    private volatile boolean over;

    /** A policy that decides everything twice. */
    private static final class Twice implements Agent {
        private final ArrayDeque<Integer> queue = new ArrayDeque<>();

        @Override
        public void reset(Enclave enclave) {
            queue.clear();
        }

        @Override
        public int doWork(Enclave enclave) {
            int work = 0;
            for (Message message = enclave.peek(); message != null; message = enclave.peek()) {
                if (message.leavesRunnable()) {
                    queue.add(message.task());
                    queue.add(message.task());
                }
                enclave.consume();
                work++;
            }
            enclave.outcomes((cpu, number, identity, outcome) -> {});
            for (; !queue.isEmpty() && enclave.room(0) > 0; work++) {
                enclave.stage(enclave.open(0, queue.remove()));
            }
            enclave.commit();
            return work;
        }
    }

    private void decide(String transport, Agent policy) {
        while (!over) {
            try (Session session = Transports.attach(transport, region); AgentEnd end = session.attach(0)) {
                new AgentLoop(policy, end, System::nanoTime).run(IdleStrategy.spinThenYield(RunAgents.SPINS),
                        () -> over);
            } catch (AgentException | DeviceException e) {
                LockSupport.parkNanos(10_000_000); // the host is not there yet, or no more
            }
        }
    }

    private static String[] run(String transport, String... more) {
        return Stream.concat(
                Stream.of("run", "--quick", "--workload", "spin", "--transport", transport, "--cpus",
                        "1", "--capacity", "4000", "--load", "0.5", "--duration", "300ms", "--report", "none"),
                Stream.of(more)).toArray(String[]::new);
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void aPolicyThatDecidesEverythingTwiceIsNotCalledRight(String transport) throws Exception {
        Thread agent = Thread.ofPlatform().start(() -> decide(transport, new Twice()));
        try {
            Cli run = Cli.run(Cli.ONE_CARRIER, run(transport, "--external-agent", "--region", region.toString()));
            assertThat(run.status()).as(run.out() + run.err()).isEqualTo(Errors.FAILED);
            assertThat(run.out().replaceAll("\\s+", " ")).contains("WRONG: " + transport + ": ")
                    .contains("for the policy's fault; the first: task")
                    .containsAnyOf("TARGET_STALE", "TARGET_ONCPU", "TARGET_NOT_RUNNABLE")
                    .contains("Every request was answered exactly once");
        } finally {
            over = true;
            agent.join();
        }
    }

    @Test
    void aRunThatItsPolicyDecidedIsRightAlsoWhenItIsRepeated() throws Exception {
        Cli run = Cli.run(Cli.ONE_CARRIER, run(WaveProtocol.NAME, "--patient", "--json", "--repeat", "2"));
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains("\"isWrong\": false").contains("\"policyFaults\": 0").contains("\"repeats\": 2")
                .doesNotContain("allocates")
                .containsPattern("\"intervals\": \\{\\s*\"[a-zA-Z.0-9]+\": \\{");
    }

    @Test
    void requestsThatComeInBurstsAreAllAnswered() throws Exception {
        Cli run = Cli.run(Cli.ONE_CARRIER, run(LocalProtocol.NAME, "--patient", "--json", "--arrivals", "bursts:8"));
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains("arrivals bursts:8\"");
        List<Integer> offered = Pattern.compile("\"offered\": ([0-9]+)").matcher(run.out()).results()
                .map(one -> Integer.valueOf(one.group(1))).toList();
        assertThat(offered).as(run.out()).isNotEmpty().allMatch(requests -> requests > 0 && requests % 8 == 0);
        Cli none = Cli.run(Cli.ONE_CARRIER, run(LocalProtocol.NAME, "--arrivals", "bursts:0"));
        assertThat(none.status()).as(none.err()).isEqualTo(Errors.USAGE);
        assertThat(none.err()).contains("--arrivals", "from 1 to 10000");
    }

    @Test
    void aPolicyThatAllocatesWhileItDecidesIsRightButToldSo() throws Exception {
        Cli run = Cli.run(Cli.ONE_CARRIER, run(WaveProtocol.NAME, "--patient", "--policy",
                BadPolicies.class.getName() + "$Litterer"));
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).containsPattern(
                "wave: the policy allocates while it decides: its garbage was collected [0-9,]+ times, [0-9.]+ ms in all")
                .contains("allocate in reset, not in doWork");
    }

    @Test
    void aRunWithoutAnyAgentSaysThatTheFallbackDecided() throws Exception {
        Cli run = Cli.run(Cli.ONE_CARRIER, "run", "--quick", "--workload", "spin", "--transport", "wave", "--capacity",
                "1000", "--load", "0.5", "--duration", "100ms", "--report", "none", "--external-agent", "--region",
                region.toString(), "--json");
        assertThat(run.status()).as(run.err()).isEqualTo(Errors.FAILED);
        assertThat(run.out()).contains("\"isWrong\": true").contains("\"kind\": \"fallback\"")
                .contains("No decision of an agent took effect").contains("\"lost\": 0");
    }

    @Test
    void aLimitThatIsNoPartIsRefused() {
        Cli run = Cli.call("run", "--fallback-limit", "5");
        assertThat(run.status()).isEqualTo(Errors.USAGE);
        assertThat(run.err()).contains("--fallback-limit 5").contains("0 to 1").doesNotContain("\tat ");
    }
}
