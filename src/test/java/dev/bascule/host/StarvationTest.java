package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.Agent;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.cli.BadPolicies;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;
import dev.bascule.ring.IdleStrategy;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A task that the agent passes over is found, named, and run by the host. */
@Timeout(120)
class StarvationTest {
    private static final long LIMIT_NANOS = 40_000_000;
    private static final long PATIENCE_NANOS = 100_000_000_000L;

    @TempDir
    private Path folder = Path.of("");
    private @Nullable Session opened;

    @AfterEach
    void close() {
        if (opened != null) {
            opened.close();
        }
    }

    private static AgentHarness harness(Agent policy) {
        AgentHarness h = AgentHarness.of(policy, 1, 4);
        for (int task = 0; task < 3; task++) {
            h.newTask();
        }
        return h;
    }

    @Test
    void aPolicyThatForgetsATaskFailsItsTestWithTheTasksName() {
        AgentHarness h = harness(new BadPolicies.Forgetful(1));
        h.advance(AgentHarness.STARVATION_NANOS - 1_000_000);
        h.assertNobodyStarves();
        h.advance(2_000_000);
        assertThatThrownBy(h::assertNobodyStarves).isInstanceOf(AssertionError.class)
                .hasMessageContaining("task 1 is runnable and has waited for 101000000 ns")
                .hasMessageContaining("no agent has ever decided about it");
        assertThat(h.trace()).anyMatch(line -> line.contains("task 1 starves: runnable for 100 ms while "));
    }

    @Test
    void aWaitThatIsOverIsStillKnown() {
        AgentHarness h = harness(new RoundRobinAgent(10_000_000));
        h.advance(50_000_000);
        h.assertNobodyStarves();
        h.assertNobodyStarves(20_000_000);
        assertThatThrownBy(() -> h.assertNobodyStarves(19_000_000)).isInstanceOf(AssertionError.class)
                .hasMessageContaining("task ").hasMessageContaining("waited for 20000000 ns")
                .hasMessageContaining("was COMPLETE");
    }

    @Test
    void aWaitBehindALongTaskIsNoStarvation() {
        AgentHarness h = harness(new FifoAgent());
        h.advance(3 * AgentHarness.STARVATION_NANOS);
        assertThat(h.trace()).noneMatch(line -> line.contains("starves"));
        assertThat(h.mechanism().waits().longestNanos(1)).isEqualTo(3 * AgentHarness.STARVATION_NANOS);
    }

    private LiveHost host(Supplier<Agent> policy, int cpus, JobRunner jobs) {
        Session session = Session.onHost(folder, false);
        opened = session;
        MechanismEnd end = session.openHost(EnclaveShape.of(cpus, 4));
        LiveHost host = new LiveHost(end, new Mechanism(end, System::nanoTime, DecisionListener.NONE),
                new LiveOptions(4, 1, 1000, 20_000_000_000L, 40_000_000_000L, true).withStarvation(LIMIT_NANOS),
                new ThreadAgent(() -> session.attach(0), policy, () -> IdleStrategy.spinThenYield(256)), jobs);
        host.start();
        while (!host.isAgentReady()) {
            LockSupport.parkNanos(1_000_000);
        }
        return host;
    }

    /** The last task is the first to get a job. Others keep the CPUs for as long as the first job has not run. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4, 8 })
    void theHostRunsWhatTheAgentPassesOverAlsoIfItMustTakeACpu(int cpus) throws Exception {
        AtomicIntegerArray runs = new AtomicIntegerArray(40);
        JobRunner jobs = (job, yield) -> {
            while (job == runs.length() - 1 && runs.get(0) == 0) {
                yield.maybeYield();
            }
            runs.incrementAndGet(job);
        };
        try (LiveHost host = host(() -> new BadPolicies.Forgetful(3), cpus, jobs)) {
            assertThat(host.serve(new PacedJobs(100_000, runs.length()), PATIENCE_NANOS)).as("%s", host.incidents())
                    .isTrue();
            assertThat(host.incidents()).anyMatch(incident -> incident.startsWith("task 3 starves: runnable for ")
                    && incident.contains("later ones were started") && incident.endsWith("decided about it"));
            assertThat(host.waits().starved()).isPositive();
            assertThat(host.waits().ended()).isPositive();
            assertThat(host.waits().longestNanos()).isGreaterThan(2 * LIMIT_NANOS);
            assertThat(host.counters().localDecisions()).isPositive();
        }
        for (int job = 0; job < runs.length(); job++) {
            assertThat(runs.get(job)).as("runs of job %d", job).isEqualTo(1);
        }
    }

    @Test
    void aHostWhosePolicyIsFairReportsNothing() throws Exception {
        JobRunner jobs = (job, yield) -> {
            long until = System.nanoTime() + (job == 0 ? 5 * LIMIT_NANOS : 1_000);
            while (System.nanoTime() < until) {
                yield.maybeYield();
            }
        };
        try (LiveHost host = host(FifoAgent::new, 1, jobs)) {
            assertThat(host.serve(new PacedJobs(10_000, 200), PATIENCE_NANOS)).isTrue();
            assertThat(host.incidents()).isEmpty();
            assertThat(host.waits().starved()).isZero();
            assertThat(host.waits().ended()).isZero();
        }
    }
}
