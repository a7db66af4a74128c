package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.DecisionListener;
import dev.bascule.swap.SwapMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A CPU goes to sleep while the agent decides for it, both at the same moment, again and again, with the production ends
 * on the windows of a run: the CPU sees the decision, or the agent sees that it sleeps. Never neither.
 */
@Timeout(300)
class SleepWakeTest {
    private static final int ROUNDS = 200_000;

    private static final int SHIFTS = 200;

    @TempDir
    private Path directory;

    @TestFactory
    List<DynamicTest> eitherTheCpuSeesTheDecisionOrTheAgentSeesTheSleeper() {
        List<DynamicTest> tests = new ArrayList<>();
        add(tests, "on-host", where -> Session.onHost(where, false));
        for (Placement placement : Placement.values()) {
            add(tests, "wave " + placement,
                    where -> Session.wave(where, LinkSetup.DEFAULT.withPlacement(placement), false));
            add(tests, "swap1 " + placement, where -> Session.swap(where,
                    LinkSetup.DEFAULT.withPlacement(placement).withMode(SwapMode.SWAP1), false));
        }
        return tests;
    }

    private void add(List<DynamicTest> tests, String name, Function<Path, Session> opening) {
        tests.add(DynamicTest.dynamicTest(name, () -> play(name, opening)));
    }

    private void play(String name, Function<Path, Session> opening) throws Exception {
        Assumptions.assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one core: nothing is at the same time");
        Path where = java.nio.file.Files.createTempDirectory(directory, "sleep");
        try (Session session = opening.apply(where);
                MechanismEnd end = session.openHost(new EnclaveShape(1, 1, 1, 64, 1))) {
            Mechanism host = new Mechanism(end, System::nanoTime, DecisionListener.NONE);
            int task = host.create(true, -1, 0, 0);
            host.want(0);
            host.commit();
            int sequence = host.sequence(task) + 1; // stale: each decision is refused, and the next round begins
            AtomicInteger go = new AtomicInteger();
            AtomicInteger done = new AtomicInteger();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            long[] interrupts = new long[1];
            Thread agentThread = Thread.ofPlatform().daemon().start(() -> {
                Transaction decision = new Transaction();
                try (AgentEnd agent = session.attach(0)) {
                    for (int round = 1; round <= ROUNDS; round++) {
                        prepare(agent);
                        meet(go, 2 * round);
                        boolean staged = agent.stage(0, decision.set(0, agent.epoch(), sequence, task));
                        agent.commit();
                        assertThat(staged).isTrue();
                        interrupts[0] = agent.counters().interrupts;
                        done.incrementAndGet();
                        await(done, 2 * round); // the host has looked at what came of it
                    }
                } catch (Throwable e) {
                    failure.set(e);
                    done.set(Integer.MAX_VALUE);
                    go.set(Integer.MAX_VALUE);
                }
            });
            int missed = 0;
            long before = 0;
            for (int round = 1; round <= ROUNDS && failure.get() == null; round++) {
                meet(go, 2 * round);
                for (int wait = round % SHIFTS; wait > 0; wait--) {
                    go.get(); // a little later each time, so that every pair of accesses meets
                }
                boolean seen = end.enterSleep(0);
                await(done, 2 * round - 1);
                missed += seen || interrupts[0] > before ? 0 : 1;
                before = interrupts[0];
                end.leaveSleep(0);
                while (host.decide(0) == Mechanism.NONE && end.enterSleep(0)) {
                    end.leaveSleep(0);
                }
                end.leaveSleep(0);
                host.want(0);
                host.commit();
                done.incrementAndGet();
            }
            agentThread.join();
            assertThat(failure.get()).isNull();
            assertThat(missed).as("of %d rounds over %s, neither side saw the other", ROUNDS, name).isZero();
        }
    }

    /** Reads what became of the last decision, so that there is room for the next. */
    private static void prepare(AgentEnd agent) {
        while (agent.room(0) == 0) {
            agent.outcomes((cpu, number, identity, outcome) -> {});
            agent.heartbeat();
        }
    }

    private static void meet(AtomicInteger here, int both) {
        here.incrementAndGet();
        await(here, both);
    }

    private static void await(AtomicInteger count, int value) {
        while (count.get() < value) {
            Thread.onSpinWait();
        }
    }
}
