package dev.bascule.study.sim;

import dev.bascule.agent.Agent;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A host in virtual time: the same agents, transports, byte layouts and staleness rules as {@code LiveHost}, with any
 * number of CPUs. The same setup, policy and load give the same {@link SimTrace} byte for byte.
 *
 * <pre>{@code
 * SimSetup setup = SimSetup.of(SimOptions.of(16, 50_000_000), SimTransports.wave(), CostProfiles.load("published"));
 * SimResult result = SimHost.run(setup, FifoAgent::new, load);
 * }</pre>
 *
 * A policy that throws, loops for ever or never decides is fenced and replaced as on the live host, and reported among
 * the result's incidents.
 * <p>
 * Thread rule: a run belongs to one thread; runs know nothing of each other.
 */
public final class SimHost {
    private SimHost() {}

    /** Runs a load until its last job is done, or until the time is over. */
    public static SimResult run(SimSetup setup, Supplier<? extends Agent> policy, SimLoad load) {
        return run(setup, policy, load, null);
    }

    /** Runs the host and writes every event to the trace. */
    public static SimResult run(SimSetup setup, Supplier<? extends Agent> policy, SimLoad load,
            @Nullable SimTrace trace) {
        IntFunction<Agent> each = agent -> policy.get();
        SimEngine engine = new SimEngine(setup, each, load, trace);
        return engine.run();
    }
}
