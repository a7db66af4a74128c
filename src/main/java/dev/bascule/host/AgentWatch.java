package dev.bascule.host;

import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Watchdog;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an eye on the agents of the moment: whether all are ready, decide in time and live; and orders others. What it
 * finds the host turns into a fence.
 * <p>
 * Thread rule: one thread at a time, but {@link #isReady}, {@link #isExpected}, {@link #note} and {@link #incidents} from
 * any, and {@link #decided} and {@link #judge} by each CPU's thread while none of the others is called.
 */
final class AgentWatch implements Dispatcher.Agents, AutoCloseable {
    private static final long MICRO = 1_000;
    private static final long SECOND = 1_000_000_000;

    private final MechanismEnd end;
    private final AgentKeeper keeper;
    private final Watchdog watchdog;
    private final @Nullable LiveTrace trace;
    private long fences;
    private final boolean[] readies;
    private volatile boolean ready;

    AgentWatch(MechanismEnd end, LiveOptions options, AgentSupervisor supervisor) {
        this.end = end;
        keeper = new AgentKeeper(supervisor);
        trace = options.trace();
        readies = new boolean[end.shape().agents()];
        watchdog = new Watchdog(options.softNanos(), options.hardNanos(), end.shape().agents());
    }

    void begin(long now) {
        keeper.begin();
        watchdog.restart(now);
    }

    boolean isReady() {
        return ready;
    }

    /** Whether an agent may still come. */
    boolean isExpected() {
        return !keeper.hasGivenUp();
    }

    @Override
    public boolean isReady(int agent) {
        return readies[agent];
    }

    @Override
    public boolean lookWhetherReady(int agent) {
        readies[agent] = end.isReady(agent);
        return readies[agent];
    }

    @Override
    public void decided() {
        watchdog.decided();
    }

    @Override
    public Watchdog.Verdict judge(LiveCpu cpu, long now) {
        return watchdog.judge(cpu.wait.waitedNanos(now), cpu.wait.unansweredNanos());
    }

    @Override
    public String silence(int cpu) {
        return "no decision for CPU " + cpu + " within " + watchdog.limitNanos() / MICRO + " us";
    }

    @Override
    public @Nullable String trouble(long now) {
        ready = areAllReady();
        if (trace != null) {
            trace.sample(now, ready, end.counters());
        }
        String broken = end.trouble();
        if (broken != null) {
            return broken;
        }
        if (keeper.hasExited()) {
            return "agent ended: " + keeper.exitReport();
        }
        for (int agent = 0; agent < end.shape().agents(); agent++) {
            if (ready && watchdog.isHung(agent, end.heartbeat(agent), now)) {
                return "agent " + (agent == 0 ? "" : agent + " ") + "silent for more than "
                        + watchdog.limitNanos() / MICRO + " us";
            }
        }
        if (!ready && watchdog.isLate(keeper.startLimitNanos(), now)) {
            return "agent not ready within " + keeper.startLimitNanos() / SECOND + " s of its start";
        }
        return null;
    }

    private boolean areAllReady() {
        boolean all = true;
        for (int agent = 0; agent < end.shape().agents(); agent++) {
            all &= lookWhetherReady(agent); // each is asked: an end may act on what it sees
        }
        return all;
    }

    @Override
    public void replace(String why, long now) {
        fences++;
        ready = false;
        Arrays.fill(readies, false);
        if (trace != null) {
            trace.fenced(now);
        }
        keeper.replace(why, watchdog.isWarm());
        watchdog.restart(now);
    }

    /** Agents fenced so far. */
    long fences() {
        return fences;
    }

    void note(String incident) {
        keeper.note(incident);
    }

    List<String> incidents() {
        return keeper.incidents();
    }

    @Override
    public void close() {
        keeper.close();
    }
}
