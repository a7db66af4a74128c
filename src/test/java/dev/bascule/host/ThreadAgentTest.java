package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.PolicyException;
import dev.bascule.cli.BadPolicies;
import dev.bascule.ffi.Patience;
import dev.bascule.ring.IdleStrategy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Agents as threads: one that hangs is left behind, and what becomes of it later is not its successor's fate. */
@Timeout(60)
class ThreadAgentTest {
    /** Longer than a busy machine keeps an agent from its core: after too many that fail early the host starts no other. */
    private static final long HARD_NANOS = 200_000_000;

    @TempDir
    private Path folder = Path.of("");
    private @Nullable Session opened;

    @AfterEach
    void close() {
        if (opened != null) {
            opened.close();
        }
    }

    @Test
    void aZombieThatEndsDoesNotMarkItsSuccessorAsEnded() throws Exception {
        CountDownLatch zombieMayEnd = new CountDownLatch(1);
        CountDownLatch successorMayEnd = new CountDownLatch(1);
        AtomicInteger starts = new AtomicInteger();
        Thread[] threads = new Thread[3];
        ThreadAgent agent = new ThreadAgent(() -> {
            int start = starts.incrementAndGet();
            threads[start] = Thread.currentThread();
            await(start == 1 ? zombieMayEnd : successorMayEnd);
            throw new AgentException("agent " + start + " ends");
        }, () -> null, IdleStrategy::spin);
        agent.start();
        awaitStarts(starts, 1);
        agent.kill(); // it hangs
        agent.start();
        awaitStarts(starts, 2);
        zombieMayEnd.countDown();
        threads[1].join();
        assertThat(agent.hasExited()).as("the successor is at work").isFalse();
        assertThat(agent.exitReport()).isEmpty();
        successorMayEnd.countDown();
        threads[2].join();
        assertThat(agent.hasExited()).isTrue();
        assertThat(agent.exitReport()).contains("agent 2 ends");
        agent.close();
    }

    @Test
    void aPolicyThatThrowsIsNamedWithItsLineAndItsStackIsInTheLog() throws Exception {
        Path log = folder.resolve(AgentLog.FILE);
        try (LiveHost host = host(BadPolicies.Thrower::new)) {
            awaitIncident(host, "threw");
            assertThat(host.incidents().getFirst())
                    .startsWith("agent ended: policy " + BadPolicies.Thrower.class.getName()
                            + " threw IllegalStateException: broken policy at " + BadPolicies.Thrower.class.getName()
                            + ".doWork (BadPolicies.java:")
                    .endsWith("; its stack is in " + log);
        }
        assertThat(Files.readString(log)).contains("Caused by: java.lang.IllegalStateException: broken policy")
                .contains("\tat " + BadPolicies.Thrower.class.getName() + ".doWork(BadPolicies.java:")
                .contains("AgentLoop.run");
    }

    @Test
    void aPolicyThatThrowsIsNamedWhenItsLogCannotBeWritten() throws Exception {
        try (LiveHost host = host(BadPolicies.Thrower::new, folder.resolve("gone").resolve(AgentLog.FILE))) {
            awaitIncident(host, "threw");
            assertThat(host.incidents().getFirst())
                    .startsWith("agent ended: policy " + BadPolicies.Thrower.class.getName())
                    .contains("; its stack is lost: write agent's log " + folder.resolve("gone"));
        }
    }

    @Test
    void anAgentThatWasAskedToStopWritesNoLogMore() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger starts = new AtomicInteger();
        Thread[] threads = new Thread[2];
        Path log = folder.resolve(AgentLog.FILE);
        ThreadAgent agent = new ThreadAgent(() -> {
            threads[1] = Thread.currentThread();
            starts.incrementAndGet();
            await(mayEnd);
            throw PolicyException.of(new BadPolicies.Thrower(), new IllegalStateException("its memory is closed"));
        }, () -> null, IdleStrategy::spin, log);
        agent.start();
        awaitStarts(starts, 1);
        agent.close();
        mayEnd.countDown();
        threads[1].join();
        assertThat(agent.exitReport()).contains("its memory is closed");
        assertThat(log).doesNotExist();
    }

    @Test
    void aPolicyThatLoopsIsNamedWithTheLineItIsIn() throws Exception {
        Path log = folder.resolve(AgentLog.FILE);
        BadPolicies.Mute policy = new BadPolicies.Mute();
        try (LiveHost host = host(() -> policy)) {
            awaitIncident(host, "policy was at");
            assertThat(host.incidents()).anyMatch(incident -> incident.startsWith("agent silent for more than"))
                    .anyMatch(incident -> incident.startsWith("the agent's policy was at "
                            + BadPolicies.Mute.class.getName() + ".doWork (BadPolicies.java:")
                            && incident.endsWith("; its stack is in " + log));
        } finally {
            policy.end();
        }
        assertThat(Files.readString(log)).contains("\tat " + BadPolicies.Mute.class.getName() + ".doWork(");
    }

    @Test
    void aPolicyThatPicksATaskTwiceIsRefusedAtOnceAndNamed() throws Exception {
        try (LiveHost host = host(BadPolicies.Twice::new)) {
            host.serve(new PacedJobs(10_000, 1_000), 60_000_000_000L);
            awaitIncident(host, "pick for CPU");
            assertThat(host.incidents().getFirst()).contains("policy " + BadPolicies.Twice.class.getName()
                    + ": pick for CPU ").contains("returned task ");
        }
    }

    private LiveHost host(Supplier<Agent> policy) {
        return host(policy, folder.resolve(AgentLog.FILE));
    }

    private LiveHost host(Supplier<Agent> policy, Path log) {
        EnclaveShape shape = EnclaveShape.of(2, 8);
        Session session = Session.onHost(folder, false);
        opened = session;
        MechanismEnd end = session.openHost(shape);
        LiveHost host = new LiveHost(end, new Mechanism(end, System::nanoTime, DecisionListener.NONE),
                new LiveOptions(8, 1, 1000, 200_000, HARD_NANOS, true),
                new ThreadAgent(() -> session.attach(0), policy, () -> IdleStrategy.spinThenYield(256),
                        log),
                (job, yield) -> {});
        host.start();
        return host;
    }

    private static void awaitIncident(LiveHost host, String words) {
        Patience patience = new Patience(60_000_000_000L);
        while (host.incidents().stream().noneMatch(incident -> incident.contains(words))) {
            assertThat(patience.isOver()).as("waiting for '%s': %s", words, host.incidents()).isFalse();
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void awaitStarts(AtomicInteger starts, int count) {
        while (starts.get() < count) {
            Thread.onSpinWait();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
