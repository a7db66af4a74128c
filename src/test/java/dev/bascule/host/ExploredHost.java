package dev.bascule.host;

import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.StarvationWatch;
import dev.bascule.agent.Watchdog;
import java.util.concurrent.locks.Lock;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The production dispatcher on the explorer's locks, in a time that stands still: the agent is always taken for ready,
 * and whether a CPU has waited long enough for it the scene says.
 */
public final class ExploredHost {
    private static final long NOW = 1;

    private final Mechanism mechanism;
    private final Dispatcher dispatcher;
    private final LiveCpu[] cpus;
    private long ticks;

    /** With what tells whether a CPU decides by itself now, and what follows when a task has blocked. */
    public ExploredHost(MechanismEnd end, Mechanism mechanism, Lock lock, Lock[] locks, IntPredicate helpsItself,
            IntConsumer blocked) {
        this.mechanism = mechanism;
        cpus = new LiveCpu[locks.length];
        for (int cpu = 0; cpu < cpus.length; cpu++) {
            cpus[cpu] = new LiveCpu(cpu, end.shape().agentOf(cpu), locks[cpu], 1_000_000, self -> {}, null);
        }
        dispatcher = new Dispatcher(end, mechanism, new Agents(helpsItself), new HostLock(lock), cpus,
                StarvationWatch.live(mechanism, 0), 0, blocked);
    }

    private record Agents(IntPredicate helpsItself) implements Dispatcher.Agents {
        @Override
        public boolean isReady(int agent) {
            return true;
        }

        @Override
        public boolean lookWhetherReady(int agent) {
            return true;
        }

        @Override
        public void decided(int agent) {}

        @Override
        public Watchdog.Verdict judge(LiveCpu cpu, long now) {
            return helpsItself.test(cpu.id) ? Watchdog.Verdict.DECIDE_LOCALLY : Watchdog.Verdict.WAIT;
        }

        @Override
        public String silence(LiveCpu cpu) {
            throw new AssertionError("no CPU fences");
        }

        @Override
        public @Nullable String trouble(int agent, long now) {
            return null;
        }

        @Override
        public void replace(int agent, String why, long now) {}

        @Override
        public void starves(String what) {
            throw new AssertionError(what);
        }
    }

    public int decide(int cpu) {
        return dispatcher.decide(cpus[cpu], NOW);
    }

    /** A task starts that the host decided before all else. */
    public int begin(int cpu) {
        dispatcher.lockAll();
        try {
            int task = mechanism.decideLocally(cpu);
            mechanism.commit();
            return task;
        } finally {
            dispatcher.unlockAll();
        }
    }

    public void ran(int cpu, int task, boolean preempted) {
        dispatcher.ran(cpus[cpu], task, 1, preempted ? LiveTask.Leave.PREEMPTED : LiveTask.Leave.DONE);
    }

    public boolean isPreempted(int cpu) {
        return dispatcher.isPreempted(cpus[cpu], NOW);
    }

    public boolean sleep(int cpu) {
        return dispatcher.sleep(cpus[cpu], Dispatcher.TICK_NANOS, NOW);
    }

    /** A millisecond has gone by. */
    public void housekeep() {
        ticks++;
        dispatcher.housekeep(NOW + ticks * Dispatcher.TICK_NANOS);
    }

    public void fence(int agent) {
        dispatcher.lockAll();
        try {
            dispatcher.fence(agent, "by the scene", NOW);
            mechanism.commit();
        } finally {
            dispatcher.unlockAll();
        }
    }
}
