package dev.bascule.host;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.Signals;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * Starts agents of one number as processes, by the command of production, and gives them signals in the middle of their decisions. A
 * fenced one is not killed: whether it lives on is its own affair.
 */
final class ChaosProcesses implements ChaosSupervisor {
    private static final int SIGCONT = 18;
    private static final int SIGSTOP = 19;

    private static final long PATIENCE_NANOS = 10_000_000_000L;

    private final ChaosPlan plan;
    private final int number;
    private final Path directory;
    private final ChaosLoad load;
    private final ChaosTotals totals;
    private final ChaosDecisions decisions;
    private final boolean outlive;
    private final SplittableRandom random;
    private final List<AgentProcess> all = new CopyOnWriteArrayList<>();
    private final Thread tormentor = Thread.ofPlatform().name("chaos-signals").daemon().unstarted(this::torment);
    private volatile long decidedBefore;
    private volatile boolean quiet;

    /** @param outlive the agents are not told that the host has gone */
    ChaosProcesses(ChaosPlan plan, int number, Path directory, ChaosLoad load, ChaosTotals totals,
            ChaosDecisions decisions,
            long seed, boolean outlive) {
        this.plan = plan;
        this.number = number;
        this.directory = directory;
        this.load = load;
        this.totals = totals;
        this.decisions = decisions;
        this.outlive = outlive;
        random = new SplittableRandom(seed);
    }

    @Override
    public void calm() {
        quiet = true;
    }

    @Override
    public synchronized void start() {
        List<String> words = new ArrayList<>(
                List.of("agent", "--child", "--attach", directory.toString(), "--transport", plan.transport(),
                        "--agent", Integer.toString(number)));
        words.addAll(KilledHost.policyArguments(plan.policy() == 0 ? "fifo" : "round-robin"));
        AgentProcess agent = new AgentProcess(
                AgentProcess.ownCommand(List.of("-XX:+UseSerialGC", "-Xmx64m", "-XX:TieredStopAtLevel=1"), words),
                directory.resolve(AgentLog.file(number)));
        decidedBefore = decisions.inForce();
        agent.start();
        all.add(agent);
        totals.note("agent process " + agent.pid() + " starts");
        if (all.size() == 1) {
            tormentor.start();
        }
    }

    private void torment() {
        long wanted = 50 + random.nextInt(3000);
        while (!quiet) {
            LockSupport.parkNanos(200_000);
            if (decisions.inForce() - decidedBefore >= wanted && load.isAtWork()) {
                strike(all.get(all.size() - 1));
                wanted = 50 + random.nextInt(3000);
            }
        }
    }

    private void strike(AgentProcess agent) {
        if (agent.hasExited()) {
            return;
        }
        int before = all.size();
        if (random.nextBoolean()) {
            agent.crash();
            totals.add(ChaosFault.PROCESS_KILLED, agent.pid() + " after " + (decisions.inForce() - decidedBefore));
            await(before);
            return;
        }
        signal(SIGSTOP, agent);
        totals.note("SIGSTOP " + agent.pid());
        boolean replaced = await(before);
        signal(SIGCONT, agent);
        if (replaced) {
            totals.add(ChaosFault.PROCESS_STOPPED, agent.pid() + " goes on now");
        }
    }

    /** Until another agent was started. */
    private boolean await(int before) {
        long limit = System.nanoTime() + PATIENCE_NANOS;
        while (all.size() == before && System.nanoTime() < limit && !quiet) {
            LockSupport.parkNanos(500_000);
        }
        return all.size() > before;
    }

    private static void signal(int signal, AgentProcess agent) {
        try {
            Signals.send(agent.pid(), signal);
        } catch (NativeException e) {
            if (e.errno() != Errno.ESRCH) { // another fault has ended it meanwhile
                throw e;
            }
        }
    }

    @Override
    public boolean hasExited() {
        return !all.isEmpty() && all.get(all.size() - 1).hasExited();
    }

    @Override
    public void kill() {
        // fenced, and left alone
    }

    @Override
    public String exitReport() {
        return all.get(all.size() - 1).exitReport();
    }

    @Override
    public void close() {
        if (!outlive) {
            all.forEach(AgentProcess::close);
        }
    }

    @Override
    public void join() throws InterruptedException {
        quiet = true;
        tormentor.join();
        all.forEach(AgentProcess::close);
    }
}
