package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.Topology;
import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.PerCpuFifoAgent;
import dev.bascule.policy.ShinjukuAgent;
import dev.bascule.study.sim.SimTrace.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sockets of the simulated host: who is told, and what it costs to reach over. */
class SimSocketsTest {
    private static final long HORIZON = 20_000_000;
    private static final CostProfile PUBLISHED = CostProfiles.load("published");

    private static CostProfile crossing(long migration, long line, long interrupt) {
        return PUBLISHED.with("socket.migration", migration, "test").with("socket.line", line, "test")
                .with("socket.interrupt", interrupt, "test");
    }

    private static SimOptions options(int cpus, int siblings, int sockets) {
        return SimOptions.of(cpus, HORIZON).withCores(siblings, false, 0).withSockets(sockets);
    }

    private static SimResult run(SimOptions options, String transport, CostProfile costs, Supplier<Agent> policy,
            SimLoad load, SimTrace trace) {
        return SimHost.run(SimSetup.of(options, SimTransports.named(transport), costs), policy, load, trace);
    }

    private static SimLoad requests(int cpus, long seed) {
        JobMix mix = JobMix.named("high-bimodal");
        return OpenLoad.classified(mix, mix.capacityPerSecond(cpus) * 0.6, seed);
    }

    /** One task that computes 20 us and pauses 30 us, on the CPUs of a mask. */
    private record Pinned(long affinity) implements SimLoad {
        @Override
        public List<Resident> residents() {
            return List.of(new Resident(0, 0, affinity));
        }

        @Override
        public long burstNanos(int resident) {
            return 20_000;
        }

        @Override
        public long pauseNanos(int resident) {
            return 30_000;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "wave-push", "wave-on-demand", "swap0", "swap1" })
    void theSameSeedGivesTheSameTraceAndEveryJobEnds(String transport) {
        SimTrace first = new SimTrace(1 << 20);
        SimTrace second = new SimTrace(1 << 20);
        SimResult result = run(options(8, 2, 2), transport, PUBLISHED, () -> new ShinjukuAgent(10_000), requests(8, 7),
                first);
        run(options(8, 2, 2), transport, PUBLISHED, () -> new ShinjukuAgent(10_000), requests(8, 7), second);
        assertThat(first.bytes()).isEqualTo(second.bytes());
        assertThat(result.topology()).isEqualTo(new Topology(8, 2, 2));
        assertThat(result.jobs().finished()).isEqualTo(result.jobs().arrived()).isPositive();
        assertThat(result.littleErrorNanos()).isZero();
        assertThat(result.incidents()).isEmpty();
        assertThat(result.decisions().crossings()).isPositive();
    }

    /** A sibling's new speed holds from the start or end of the other's task on, not for what was over before. */
    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void siblingsThatChangeEachOthersSpeedNeverTurnTimeBack(String transport) {
        for (int sockets : new int[] { 1, 2 }) {
            SimTrace trace = new SimTrace(1 << 20);
            SimResult result = run(options(8, 2, sockets).withCores(2, true, 0), transport, PUBLISHED,
                    () -> new ShinjukuAgent(10_000), requests(8, 11), trace);
            assertThat(result.littleErrorNanos()).isZero();
            long[] last = new long[8];
            for (int i = 0; i < trace.size(); i++) {
                if (List.of(Kind.RUNS, Kind.DONE, Kind.SLICE_OVER, Kind.WAITS).contains(trace.kind(i))) {
                    assertThat(trace.nanos(i)).as("%s", trace.line(i)).isGreaterThanOrEqualTo(last[trace.cpu(i)]);
                    last[trace.cpu(i)] = trace.nanos(i);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void aTaskPaysForMigrationExactlyWhenItChangesSockets(String transport) {
        SimTrace trace = new SimTrace(1 << 20);
        SimOptions options = options(6, 1, 3);
        SimResult result = run(options, transport, crossing(2_345, 100, 100), FifoAgent::new, requests(6, 3), trace);
        int[] last = new int[4096];
        Arrays.fill(last, -1);
        int crossed = 0;
        for (int i = 0; i < trace.size(); i++) {
            if (trace.kind(i) != Kind.RUNS) {
                continue;
            }
            int task = trace.task(i);
            int socket = trace.cpu(i) / 2;
            boolean noted = trace.kind(i - 1) == Kind.CROSSES && trace.task(i - 1) == task;
            assertThat(noted).as("%s", trace.line(i)).isEqualTo(last[task] >= 0 && last[task] != socket);
            if (noted) {
                crossed++;
                assertThat(trace.argument(i - 1)).isEqualTo(last[task] << 8 | socket);
                assertThat(trace.nanos(i) - trace.nanos(i - 1)).as("from the caches' last owner to the start")
                        .isEqualTo(2_345);
            }
            last[task] = socket;
        }
        assertThat(crossed).isPositive();
        assertThat(result.decisions().crossings()).isEqualTo(crossed);
    }

    /** The time of what a CPU does. */
    private static List<Long> times(SimTrace trace, int cpu) {
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < trace.size(); i++) {
            if (trace.kind(i) == Kind.RUNS && trace.cpu(i) == cpu) {
                times.add(trace.nanos(i));
            }
        }
        return times;
    }

    private static List<Long> starts(String transport, CostProfile costs, int cpu, boolean polling) {
        SimTrace trace = new SimTrace(1 << 18);
        run(options(2, 1, 2).withPolling(polling), transport, costs, FifoAgent::new, new Pinned(1L << cpu), trace);
        assertThat(times(trace, 1 - cpu)).as("runs elsewhere").isEmpty();
        return times(trace, cpu);
    }

    /** The agent's core on the host, and a card, are on the first socket. */
    @ParameterizedTest
    @CsvSource({ "on-host, true", "wave, true", "swap1, true", "on-host, false", "wave, false", "swap1, false" })
    void linesAndInterruptsCostMoreOnlyForTheOtherSocket(String transport, boolean polling) {
        CostProfile none = crossing(0, 0, 0);
        for (CostProfile dear : List.of(crossing(0, 700, 0), crossing(0, 0, 900))) {
            List<Long> near = starts(transport, dear, 0, polling);
            List<Long> same = starts(transport, none, 0, polling);
            assertThat(near).as("on the agent's socket").hasSizeGreaterThan(100).hasSameSizeAs(same);
            for (int i = 0; i < near.size(); i++) { // the looks of the other CPU, which is idle, share the link
                assertThat(near.get(i)).as("start %d", i).isCloseTo(same.get(i), within(50L));
            }
        }
        List<Long> cheap = starts(transport, none, 1, polling);
        assertThat(starts(transport, crossing(0, 700, 0), 1, polling).size()).as("a line from the other socket")
                .isLessThan(cheap.size());
        List<Long> late = starts(transport, crossing(0, 0, 900), 1, polling);
        if (polling) {
            assertThat(late).as("nobody sends interrupts").isEqualTo(cheap);
        } else {
            assertThat(late.size()).as("interrupts that cross").isLessThan(cheap.size());
        }
    }

    @Test
    void withOneSocketTheCostsOfOthersAreNothing() {
        SimTrace free = new SimTrace(1 << 20);
        SimTrace dear = new SimTrace(1 << 20);
        run(options(4, 2, 1), "wave", crossing(0, 0, 0), FifoAgent::new, requests(4, 5), free);
        SimResult result = run(options(4, 2, 1), "wave", crossing(9_000, 9_000, 9_000), FifoAgent::new,
                requests(4, 5), dear);
        assertThat(dear.bytes()).isEqualTo(free.bytes());
        assertThat(result.decisions().crossings()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void aPolicySeesTheSockets(String transport) {
        List<Topology> seen = new ArrayList<>();
        Supplier<Agent> looks = () -> new Agent() {
            private final FifoAgent good = new FifoAgent();

            @Override
            public void reset(Enclave enclave) {
                seen.add(enclave.shape().topology());
                good.reset(enclave);
            }

            @Override
            public int doWork(Enclave enclave) {
                return good.doWork(enclave);
            }
        };
        run(options(8, 2, 2), transport, PUBLISHED, looks, requests(8, 1), new SimTrace(1));
        assertThat(seen).isNotEmpty().containsOnly(new Topology(8, 2, 2));
    }

    @Test
    void perCpuFifoWakesATaskWhereItWasUnlessThatIsBusier() {
        SimOptions options = options(8, 1, 2);
        SimResult anywhere = run(options, "on-host", PUBLISHED, FifoAgent::new, requests(8, 9), new SimTrace(1));
        SimResult near = run(options, "on-host", PUBLISHED, PerCpuFifoAgent::new, requests(8, 9), new SimTrace(1));
        assertThat(anywhere.decisions().crossings()).as("half of the starts, or so")
                .isGreaterThan(anywhere.decisions().switches() / 3);
        assertThat(near.decisions().crossings()).isLessThan(near.decisions().switches() / 4);
    }

    @Test
    void itIsExplainedWhereATaskComesFrom() {
        SimTrace trace = new SimTrace(1 << 20);
        run(options(2, 1, 2), "wave", PUBLISHED, FifoAgent::new, requests(2, 3), trace);
        int task = -1;
        for (int i = 0; i < trace.size() && task < 0; i++) {
            task = trace.kind(i) == Kind.CROSSES && trace.argument(i) == 1 ? trace.task(i) : -1;
        }
        assertThat(SimExplanation.of(trace, 2, task))
                .anyMatch(line -> line.contains("runs on CPU 1 of another socket (it ran on socket 0 before"));
    }

    @ParameterizedTest
    @CsvSource({ "4,1,3", "6,2,2", "4,1,0", "4,1,-2", "4,1,65" })
    void socketsThatCannotBeAreRefused(int cpus, int siblings, int sockets) {
        assertThatThrownBy(() -> options(cpus, siblings, sockets)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("topology: ").hasMessageContaining("sockets");
    }
}
