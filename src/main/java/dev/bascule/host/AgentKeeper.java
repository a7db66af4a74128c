package dev.bascule.host;

import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Watchdog;
import dev.bascule.ffi.OwnThread;
import dev.bascule.ffi.WatchedTime;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one agent at work: judges whether it is ready, decides in time and lives, and replaces it if not. What it finds
 * the host turns into a fence. Agents are killed and started on a thread of its own, so that no CPU waits for a process
 * to start; after several in a row of which none lasted it gives up, and the host goes on with its own policy.
 * <p>
 * Thread rule: {@link #begin} and {@link #close} by the thread that owns the host; {@link #decided} and {@link #judge} by
 * the thread of each of its CPUs; {@link #trouble} and {@link #replace} by one thread at a time while no CPU calls those two; the rest
 * by any. The supervisor starts one agent at a time, and none after {@link #close}; an order given while one starts is
 * kept.
 */
final class AgentKeeper implements AutoCloseable {
    /** A hard limit has passed after so many looks at least, whatever came between them. */
    private static final int LOOKS_PER_LIMIT = 4;
    private static final long MICRO = 1_000;
    private static final long SECOND = 1_000_000_000;
    private static final int MAX_RESTARTS = 16;
    /** Hard limits that a start may take, if that is more: where an agent may be silent for long, its JVM starts slowly. */
    private static final int LIMITS_PER_START = 3;

    private final MechanismEnd end;
    private final int agent;
    /** For reports; agents are numbered where there are several. */
    private final String name;
    private final AgentSupervisor supervisor;
    private final Watchdog watchdog;
    private final long hardNanos;
    private final Upgrades upgrades;
    private final SameFailures failures = new SameFailures();
    private final Consumer<String> notes;
    private final Thread thread;
    /** Held while an agent starts or the supervisor closes: none starts after it. */
    private final Object starting = new Object();
    private long fences;
    private volatile boolean ready;
    /** Whoever holds all locks of the host looks, about every millisecond. */
    private final WatchedTime time;
    private boolean wanted;
    private boolean left;
    private int restarts;
    private volatile boolean closing;
    private volatile boolean watching;
    private volatile boolean givenUp;
    /** Written by the keeper's thread alone. */
    private volatile int pauses;

    /**
     * Of one agent.
     *
     * @param notes is told what happens to it, in words for the operator
     * @param upgraded is told how each of its upgrades has ended
     */
    AgentKeeper(MechanismEnd end, int agent, LiveOptions options, AgentSupervisor supervisor, Consumer<String> notes,
            Consumer<Upgrade> upgraded) {
        this.end = end;
        this.agent = agent;
        this.supervisor = supervisor;
        this.notes = notes;
        name = end.shape().agents() == 1 ? "agent" : "agent " + agent;
        upgrades = new Upgrades(end, agent, supervisor, upgraded);
        hardNanos = options.hardNanos();
        watchdog = new Watchdog(options.softNanos(), hardNanos, options.coldNanos());
        time = new WatchedTime(Math.max(1, hardNanos / LOOKS_PER_LIMIT));
        thread = OwnThread.of(name + " keeper", this::work);
    }

    void begin(long now) {
        supervisor.start();
        watching = true;
        thread.start();
        watchdog.restart(time.at(now));
    }

    /** Whether the agent decides, as of the last look. Any thread. */
    boolean isReady() {
        return ready;
    }

    /** Looks whether the agent decides; an upgrade that hands over is done if it does. */
    boolean lookWhetherReady() {
        ready = end.isReady(agent);
        if (ready && upgrades.isHandingOver()) {
            upgrades.done(System.nanoTime());
        }
        return ready;
    }

    /** Whether to look after it again at once. */
    boolean isInHurry() {
        return upgrades.isHandingOver();
    }

    /** One of its decisions is in force. */
    void decided() {
        watchdog.decided();
    }

    /** Verdict on a CPU's wait so far. */
    Watchdog.Verdict judge(LiveCpu cpu, long now) {
        return watchdog.judge(cpu.wait.waitedNanos(now), cpu.wait.unansweredNanos());
    }

    /** Why a CPU's wait is a reason to fence. */
    String silence(int cpu) {
        return (end.shape().agents() == 1 ? "" : name + ": ") + "no decision for CPU " + cpu + " within "
                + watchdog.limitNanos() / MICRO + " us";
    }

    /** Why it has to be fenced after CPUs have had no answer for so long, ns, if it has. */
    @Nullable
    String silence(long unansweredNanos) {
        long limit = watchdog.limitNanos();
        return unansweredNanos > limit ? name + " decided nothing within " + limit / MICRO + " us" : null;
    }

    /** Looks after the agent, about every millisecond; says why it has to be fenced, if it has. */
    @Nullable
    String trouble(long now) {
        long seen = time.at(now);
        lookWhetherReady();
        String broken = end.trouble(agent);
        if (broken != null) {
            return broken;
        }
        boolean exited = hasExited(); // asked first: an agent that leaves says so before it ends
        if (end.hasLeft(agent)) {
            left = true;
            return name + " left";
        }
        String failed = upgrades.failure(now, seen, watchdog.limitNanos());
        if (failed != null) {
            notes.accept(failed);
        }
        if (upgrades.isHandingOver()) {
            return null;
        }
        String handOver = upgrades.fence(ready);
        if (handOver != null) {
            return name + handOver;
        }
        if (exited) {
            return name + " ended: " + supervisor.exitReport();
        }
        if (ready && watchdog.isHung(end.heartbeat(agent), seen)) {
            return name + " silent for more than " + watchdog.limitNanos() / MICRO + " us";
        }
        if (!ready && watchdog.isLate(startLimitNanos(), seen)) {
            return name + " not ready within " + startLimitNanos() / SECOND + " s of its start";
        }
        return null;
    }

    /** The agent was fenced; another is ordered. */
    void replace(String why, long now) {
        fences += left || upgrades.isWanted() ? 0 : 1;
        ready = false;
        long seen = time.at(now);
        if (!upgrades.fenced(now, seen)) {
            order(why, left || watchdog.isWarm());
        }
        left = false;
        watchdog.restart(seen);
    }

    /** Agents fenced so far because they were dead, silent or broken: not those that left or handed over. */
    long fences() {
        return fences;
    }

    boolean hasExited() {
        return watching && !closing && supervisor.hasExited();
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
        return givenUp ? Long.MAX_VALUE : Math.max(supervisor.startLimitNanos(), LIMITS_PER_START * hardNanos);
    }

    /**
     * Orders another agent.
     *
     * @param why what became of the last one
     * @param lasted whether it had been at work for a while; then the count of failures in a row starts again at 0
     */
    synchronized void order(String why, boolean lasted) {
        notes.accept(why);
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
                    notes.accept(place.text());
                }
                String fault = place == null ? supervisor.policyFailure() : place.isPolicys() ? place.text() : null;
                supervisor.kill();
                if (failures.add(fault)) {
                    notes.accept(name + " not restarted: its policy has failed in the same way " + SameFailures.MOST
                            + " times in a row; going on with the built-in policy");
                    givenUp = true;
                    return;
                }
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
            notes.accept(name + " not restarted: " + e.getMessage());
            givenUp = true;
        }
    }

    private synchronized boolean awaitOrder() throws InterruptedException {
        while (!wanted && !closing) {
            wait();
        }
        wanted = false;
        restarts++;
        if (restarts > MAX_RESTARTS && !closing) {
            notes.accept(name + " not restarted: " + MAX_RESTARTS
                    + " agents in a row did not last; going on with the built-in policy");
            givenUp = true;
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
