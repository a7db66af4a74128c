package dev.bascule.study.compare;

import dev.bascule.host.AgentSupervisor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Kills an agent and starts the next on a thread of its own, so that the host's thread goes on meanwhile. */
final class Replacement implements AutoCloseable {
    private final ExecutorService thread = Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    private volatile boolean underWay;

    /** Starts the thread here, so that it does not inherit the core that the host's thread is pinned to later. */
    Replacement() {
        thread.execute(() -> {});
    }

    void begin(AgentSupervisor agent) {
        underWay = true;
        thread.execute(() -> {
            agent.kill();
            agent.start();
            underWay = false;
        });
    }

    boolean isUnderWay() {
        return underWay;
    }

    /** Waits for a replacement under way: whoever closes the agent then ends the last one that was started. */
    @Override
    public void close() {
        thread.close();
    }
}
