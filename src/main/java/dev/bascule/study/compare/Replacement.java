package dev.bascule.study.compare;

import dev.bascule.host.AgentSupervisor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Kills an agent and starts the next on a thread of its own, so that the host's thread goes on meanwhile. */
final class Replacement implements AutoCloseable {
    private final ExecutorService thread = Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    private volatile boolean underWay;
    private volatile @Nullable RuntimeException failure;

    /** Starts the thread here, so that it does not inherit the core that the host's thread is pinned to later. */
    Replacement() {
        thread.execute(() -> {});
    }

    void begin(AgentSupervisor agent) {
        underWay = true;
        thread.execute(() -> {
            try {
                agent.kill();
                agent.start();
            } catch (RuntimeException e) {
                failure = e;
            }
            underWay = false;
        });
    }

    /** Whether the next is being started; throws what that failed with, on the host's thread. */
    boolean isUnderWay() {
        RuntimeException failed = failure;
        if (failed != null) {
            throw failed;
        }
        return underWay;
    }

    /** Waits for a replacement under way: whoever closes the agent then ends the last one that was started. */
    @Override
    public void close() {
        thread.close();
    }
}
