package dev.bascule.host;

import java.util.ArrayList;
import java.util.List;

/**
 * Kills and starts agents on a thread of its own, so that no CPU waits for a process to start. Gives up after several
 * agents in a row of which none lasted; the host then goes on with its own policy.
 * <p>
 * Thread rule: {@link #begin} and {@link #close} by the thread that owns the host, the rest by any. The supervisor starts
 * one agent at a time, and none after {@link #close}; an order given while one starts is kept.
 */
final class AgentKeeper implements AutoCloseable {
    private static final int MAX_RESTARTS = 16;

    private final AgentSupervisor supervisor;
    private final List<String> incidents = new ArrayList<>();
    private final Thread thread;
    private boolean wanted;
    private volatile boolean closing;
    /** Held while an agent starts or the supervisor closes: none starts after it. */
    private final Object starting = new Object();
    private int restarts;
    private volatile boolean watching;
    private volatile boolean givenUp;

    AgentKeeper(AgentSupervisor supervisor) {
        this.supervisor = supervisor;
        thread = Thread.ofPlatform().name("agent-keeper").daemon().unstarted(this::work);
    }

    void begin() {
        supervisor.start();
        watching = true;
        thread.start();
    }

    boolean hasExited() {
        return watching && !closing && supervisor.hasExited();
    }

    String exitReport() {
        return supervisor.exitReport();
    }

    synchronized void note(String incident) {
        if (incidents.size() < 1000) {
            incidents.add(incident);
        }
    }

    synchronized List<String> incidents() {
        return List.copyOf(incidents);
    }

    /** Whether no more agents are started. */
    boolean hasGivenUp() {
        return givenUp;
    }

    /** How long an agent may take until it is ready, ns; without limit once none is started any more. */
    long startLimitNanos() {
        return givenUp ? Long.MAX_VALUE : supervisor.startLimitNanos();
    }

    /**
     * Orders another agent.
     *
     * @param why what became of the last one
     * @param lasted whether it had been at work for a while; then the count of failures in a row starts anew
     */
    synchronized void replace(String why, boolean lasted) {
        note(why);
        watching = false;
        wanted = true;
        restarts = lasted ? 0 : restarts;
        notifyAll();
    }

    private void work() {
        try {
            while (awaitOrder()) {
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
