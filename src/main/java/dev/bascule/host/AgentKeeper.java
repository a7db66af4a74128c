package dev.bascule.host;

import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Watchdog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps agents at work: judges whether all are ready, decide in time and live, and replaces those that do not. What it
 * finds the host turns into a fence. Agents are killed and started on a thread of its own, so that no CPU waits for a
 * process to start; after several in a row of which none lasted it gives up, and the host goes on with its own policy.
 * <p>
 * Thread rule: {@link #begin} and {@link #close} by the thread that owns the host; {@link #decided} and {@link #judge} by
 * each CPU's thread; {@link #trouble} and {@link #replace} by one thread at a time while no CPU calls those two; the rest
 * by any. The supervisor starts one agent at a time, and none after {@link #close}; an order given while one starts is
 * kept.
 */
final class AgentKeeper implements Dispatcher.Agents, AutoCloseable {
    private static final long MICRO = 1_000;
    private static final long SECOND = 1_000_000_000;
    private static final int MAX_RESTARTS = 16;

    private final MechanismEnd end;
    private final AgentSupervisor supervisor;
    private final Watchdog watchdog;
    private final @Nullable LiveTrace trace;
    private final boolean[] readies;
    private final Upgrades upgrades;
    private final List<String> incidents = new ArrayList<>();
    private final Thread thread;
    /** Held while an agent starts or the supervisor closes: none starts after it. */
    private final Object starting = new Object();
    private long fences;
    private volatile boolean ready;
    private boolean wanted;
    private boolean left;
    private int restarts;
    private volatile boolean closing;
    private volatile boolean watching;
    private volatile boolean givenUp;
    /** Written by the keeper's thread alone. */
    private volatile int pauses;

    AgentKeeper(MechanismEnd end, LiveOptions options, AgentSupervisor supervisor) {
        this.end = end;
        this.supervisor = supervisor;
        trace = options.trace();
        upgrades = new Upgrades(end, supervisor);
        readies = new boolean[end.shape().agents()];
        watchdog = new Watchdog(options.softNanos(), options.hardNanos(), end.shape().agents());
        thread = Thread.ofPlatform().name("agent-keeper").daemon().unstarted(this::work);
    }

    void begin(long now) {
        supervisor.start();
        watching = true;
        thread.start();
        watchdog.restart(now);
    }

    boolean isReady() {
        return ready;
    }

    @Override
    public boolean isReady(int agent) {
        return readies[agent];
    }

    @Override
    public boolean lookWhetherReady(int agent) {
        readies[agent] = end.isReady(agent);
        if (upgrades.isHandingOver() && areReady()) {
            upgrades.done(System.nanoTime());
        }
        return readies[agent];
    }

    private boolean areReady() {
        boolean all = true;
        for (boolean one : readies) {
            all &= one;
        }
        return all;
    }

    @Override
    public boolean isInHurry() {
        return upgrades.isHandingOver();
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
        boolean exited = hasExited(); // asked first: an agent that leaves says so before it ends
        for (int agent = 0; agent < end.shape().agents(); agent++) {
            if (end.hasLeft(agent)) {
                left = true;
                return "agent " + (agent == 0 ? "" : agent + " ") + "left";
            }
        }
        String failed = upgrades.failure(now, watchdog.limitNanos());
        if (failed != null) {
            note(failed);
        }
        if (upgrades.isHandingOver()) {
            return null;
        }
        String handOver = upgrades.fence(ready);
        if (handOver != null) {
            return handOver;
        }
        if (exited) {
            return "agent ended: " + supervisor.exitReport();
        }
        for (int agent = 0; agent < end.shape().agents(); agent++) {
            if (ready && watchdog.isHung(agent, end.heartbeat(agent), now)) {
                return "agent " + (agent == 0 ? "" : agent + " ") + "silent for more than "
                        + watchdog.limitNanos() / MICRO + " us";
            }
        }
        if (!ready && watchdog.isLate(startLimitNanos(), now)) {
            return "agent not ready within " + startLimitNanos() / SECOND + " s of its start";
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
        fences += left || upgrades.isWanted() ? 0 : 1;
        ready = false;
        Arrays.fill(readies, false);
        if (trace != null) {
            trace.fenced(now);
        }
        if (!upgrades.fenced(now)) {
            order(why, left || watchdog.isWarm());
        }
        left = false;
        watchdog.restart(now);
    }

    @Override
    public void starves(String what) {
        note(what);
    }

    /** Upgrades that have ended, oldest first. */
    List<Upgrade> upgrades() {
        return upgrades.ended();
    }

    /** Agents fenced so far because they were dead, silent or broken: not those that left or handed over. */
    long fences() {
        return fences;
    }

    boolean hasExited() {
        return watching && !closing && supervisor.hasExited();
    }

    synchronized void note(String incident) {
        IncidentEvent event = new IncidentEvent();
        event.what = incident;
        event.commit();
        if (incidents.size() < 1000) {
            incidents.add(incident);
        }
    }

    synchronized List<String> incidents() {
        return List.copyOf(incidents);
    }

    /** Agents among {@link #fences} that could run, and were in none of their policy's code. Any thread. */
    int pauses() {
        return pauses;
    }

    /** Whether no more agents are started. */
    boolean hasGivenUp() {
        return givenUp;
    }

    /** How long an agent may take until it is ready, ns; without limit once no more are started. */
    long startLimitNanos() {
        return givenUp ? Long.MAX_VALUE : supervisor.startLimitNanos();
    }

    /**
     * Orders another agent.
     *
     * @param why what became of the last one
     * @param lasted whether it had been at work for a while; then the count of failures in a row starts again at 0
     */
    synchronized void order(String why, boolean lasted) {
        note(why);
        watching = false;
        wanted = true;
        restarts = lasted ? 0 : restarts;
        notifyAll();
    }

    private void work() {
        try {
            while (awaitOrder()) {
                AgentPlace place = supervisor.whereabouts();
                if (place != null) {
                    pauses += place.isIdle() ? 1 : 0;
                    note(place.text());
                }
                supervisor.kill();
                synchronized (starting) {
                    if (closing) {
                        return;
                    }
                    supervisor.start();
                    watching = true;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            givenUp = true;
            note("agent not restarted: " + e.getMessage());
        }
    }

    private synchronized boolean awaitOrder() throws InterruptedException {
        while (!wanted && !closing) {
            wait();
        }
        wanted = false;
        restarts++;
        if (restarts > MAX_RESTARTS && !closing) {
            givenUp = true;
            note("agent not restarted: " + MAX_RESTARTS + " agents in a row did not last; going on with the built-in"
                    + " policy");
            return false;
        }
        return !closing;
    }

    /** Waits for the keeper's thread to end, after {@link #close}. */
    void join() throws InterruptedException {
        thread.join();
    }

    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            watching = false;
            notifyAll();
        }
        try {
            thread.join(2000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (starting) {
            supervisor.close();
        }
    }
}
