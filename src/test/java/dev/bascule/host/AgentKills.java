package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.DecisionLedgerCheck;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.Signals;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A host in this process, with an agent started as {@code bascule run} starts it, which is killed again and again in the
 * middle of its work. A kill counts if the host has put decisions of this agent in force since it attached, the last of
 * them just before; if requests were open; and if decisions of the next agent came in force afterwards.
 */
final class AgentKills {
    /** How an agent is killed. */
    enum Manner {
        KILLED("SIGKILL"), STOPPED("SIGSTOP, then SIGKILL"), FENCED("SIGSTOP until the host kills it");

        final String text;

        Manner(String text) {
            this.text = text;
        }
    }

    private static final long PATIENCE_NANOS = 60_000_000_000L;
    /** An agent whose last decision is older was not at work. */
    private static final long AT_WORK_NANOS = 5_000_000;
    private static final int MOST_DECISIONS = 6_000;

    private final Session session;
    private final SplittableRandom random;
    private final KillTotals totals;
    private final EpochDecisions decisions = new EpochDecisions();
    private final KillLoad load;
    private final EnclaveShape shape;
    private final AgentProcess agent;
    private @Nullable Throwable failure;

    AgentKills(Session session, long seed, KillTotals totals) {
        this.session = session;
        this.totals = totals;
        random = new SplittableRandom(seed);
        shape = new EnclaveShape(1 + random.nextInt(2), 64, 1, 256, 2);
        load = new KillLoad(seed, 2 + random.nextInt(60));
        Path directory = session.directory();
        agent = new AgentProcess(KilledHost.agentCommand(session.name(), directory,
                random.nextBoolean() ? "fifo" : "round-robin", "--child"), directory.resolve("agent.log"));
    }

    /** Kills until so many have counted; then every request is accounted for. */
    void run(int kills) throws Exception {
        try (session) {
            MechanismEnd end = session.openHost(shape);
            try (LiveHost host = new LiveHost(end, new Mechanism(end, System::nanoTime, decisions), LiveOptions.of(1),
                    agent, load)) {
                host.start();
                Thread killer = Thread.ofPlatform().name("killer").daemon().start(() -> killAll(host, kills));
                boolean drained = host.serve(load, PATIENCE_NANOS + kills * PATIENCE_NANOS);
                killer.join();
                assertThat(failure).as("%s", host.incidents()).isNull();
                assertThat(drained).as("every request ended: %d open, %s", load.open(), host.incidents()).isTrue();
                assertThat(host.counters().failedJobs()).as("%s", host.incidents()).isZero();
                assertThat(host.incidents()).as("no agent ended by itself").noneMatch(it -> it.contains("exit status"));
            }
        }
        totals.offered += load.offered();
        totals.lost += load.lost();
        totals.duplicated += load.duplicated();
        assertThat(DecisionLedgerCheck.compare(decisions.ledger(), List.of())).isEmpty();
    }

    private void killAll(LiveHost host, int kills) {
        try {
            int wanted = totals.counted + kills;
            for (int tries = 0; totals.counted < wanted; tries++) {
                assertThat(tries).as("kills, most of which found no working agent").isLessThan(10 + 3 * kills);
                kill(host);
            }
        } catch (Throwable e) { // the host's thread reports it
            failure = e;
        } finally {
            load.end();
        }
    }

    private void kill(LiveHost host) {
        long wanted = 1 + random.nextInt(random.nextInt(3) == 0 ? 30 : MOST_DECISIONS);
        Manner manner = Manner.values()[Math.max(0, random.nextInt(5) - 2)];
        long pauseNanos = random.nextInt(300_000);
        await(host, "decisions of the agent", () -> host.isAgentReady() && decisions.of(decisions.newest()) >= wanted);
        LockSupport.parkNanos(pauseNanos);
        int epoch = decisions.newest();
        ProcessHandle killed = ProcessHandle.of(agent.pid()).orElse(null);
        int open = load.open();
        boolean atWork = System.nanoTime() - decisions.lastNanos() < AT_WORK_NANOS && decisions.of(epoch) >= wanted;
        if (killed == null || !killed.isAlive() || !host.isAgentReady() || decisions.newest() != epoch) {
            totals.uncounted++;
            return;
        }
        strike(manner, killed);
        await(host, "the end of " + killed.pid(), () -> !killed.isAlive());
        await(host, "a decision of the agent after " + killed.pid() + " of epoch " + epoch,
                () -> agent.pid() != killed.pid() && decisions.newest() > epoch);
        if (atWork && open > 0) {
            totals.count(manner.ordinal(), open);
        } else {
            totals.uncounted++;
        }
    }

    private void strike(Manner manner, ProcessHandle process) {
        if (manner == Manner.KILLED) {
            process.destroyForcibly();
            return;
        }
        Signals.send(process.pid(), Linux.SIGSTOP);
        if (manner == Manner.STOPPED) {
            LockSupport.parkNanos(random.nextInt(3_000_000));
            process.destroyForcibly();
        }
    }

    private static void await(LiveHost host, String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waiting for %s: %s", what, host.incidents()).isLessThan(deadline);
            LockSupport.parkNanos(20_000);
        }
    }
}
