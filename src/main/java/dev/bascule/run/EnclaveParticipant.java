package dev.bascule.run;

import dev.bascule.host.LiveHost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run's host among those of other enclaves, or alone. Closed before the host is: whoever waits for this one is told that it
 * failed, if it has not come to its end. Thread rule: the run's.
 */
public final class EnclaveParticipant implements AutoCloseable {
    private final @Nullable EnclaveRuns runs;
    private final String name;
    private final LiveHost host;
    private boolean ended;

    /** @param runs of the enclaves that share the CPUs; null: it is alone */
    EnclaveParticipant(@Nullable EnclaveRuns runs, String name, LiveHost host) {
        this.runs = runs;
        this.name = name;
        this.host = host;
    }

    /** Starts the host. */
    void start() {
        if (runs == null) {
            host.start();
        } else {
            runs.start(name, host);
        }
    }

    /** Begins the load points, together with the other enclaves if there are any. */
    void beginLoads() {
        if (runs != null) {
            runs.beginLoads();
        }
    }

    /** Ends the load points, together with the other enclaves if there are any. */
    void end() {
        if (runs != null) {
            runs.end();
        }
        ended = true;
    }

    /** Events of CPUs so far; among enclaves, of the CPUs that this one was to be given. */
    List<String> cpuEvents() {
        return runs == null ? host.cpus().events() : runs.events(name);
    }

    @Override
    public void close() {
        if (runs != null && !ended) {
            runs.fail();
        }
    }
}
