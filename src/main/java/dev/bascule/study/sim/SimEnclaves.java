package dev.bascule.study.sim;

import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Several enclaves on one host and one card, in one virtual time. Each has CPUs, tasks, agents, channels and a load of its own, as
 * a {@link SimHost} has. They share the cores that their agents run on, where a round waits for the rounds of others, and, where
 * the transport has one, the link with its bandwidth and credits.
 *
 * <pre>{@code
 * SimEnclaves enclaves = new SimEnclaves(8, 2);
 * List<SimResult> each = enclaves.run(setup, FifoAgent::new, enclave -> load(enclave));
 * }</pre>
 *
 * Agents are dealt out to the cores one after the other. A round runs to its end; the next on a core is who has waited longest. A
 * poll that finds nothing takes no core from others. An agent that throws gives its core back at once, one that hangs when it is
 * fenced. The same setup, policy and loads give the same results; one enclave gives those of {@link SimHost}.
 * <p>
 * Thread rule: a run belongs to one thread; runs know nothing of each other.
 *
 * @param enclaves 1 to {@link #MAX_ENCLAVES}
 * @param cores that the agents share, at least 1
 */
public record SimEnclaves(int enclaves, int cores) {
    /** The most enclaves. */
    public static final int MAX_ENCLAVES = 64;

    /** Checks the ranges. */
    public SimEnclaves {
        if (enclaves < 1 || enclaves > MAX_ENCLAVES || cores < 1) {
            throw new IllegalArgumentException(enclaves + " enclaves with " + cores + " cores for their agents: 1 to "
                    + MAX_ENCLAVES + " enclaves, and at least 1 core");
        }
    }

    /**
     * Runs each enclave until the last job of its load is done, or until the time is over.
     *
     * @param setup of each enclave, with its CPUs and agents; of its options {@code agentCores} does not count, and its seed of churn
     *        is that of the first
     * @param loads of each
     * @return the results, one an enclave
     * @throws IllegalArgumentException if the enclaves have more CPUs together than a host, there are more cores than agents, or
     *         several enclaves on several sockets
     */
    public List<SimResult> run(SimSetup setup, Supplier<? extends Agent> policy, IntFunction<? extends SimLoad> loads) {
        return run(setup, policy, loads, List.of());
    }

    /** Runs the enclaves and writes every event of one to its trace; no traces: none. */
    List<SimResult> run(SimSetup setup, Supplier<? extends Agent> policy, IntFunction<? extends SimLoad> loads,
            List<SimTrace> traces) {
        check(setup.options());
        Run run = new Run(this, setup);
        for (int enclave = 0; enclave < enclaves; enclave++) {
            SimChurn churn = new SimChurn(setup.churn().perTaskPerSecond(), setup.churn().seed() + enclave);
            run.add(setup.withChurn(churn), policy, loads.apply(enclave),
                    traces.isEmpty() ? null : traces.get(enclave));
        }
        return run.go();
    }

    /** Says what does not go together, as {@link #run} does.
     *
     * @throws IllegalArgumentException if anything does not
     */
    public void check(SimOptions options) {
        if (enclaves * options.cpus() > EnclaveShape.MAX_CPUS) {
            throw new IllegalArgumentException(
                    enclaves + " enclaves of " + options.cpus() + " CPUs: a host has at most "
                            + EnclaveShape.MAX_CPUS);
        }
        if (cores > enclaves * options.agents()) {
            throw new IllegalArgumentException(cores + " cores for the " + enclaves * options.agents() + " agents of "
                    + enclaves + " enclaves: at most one each");
        }
        if (enclaves > 1 && options.sockets() > 1) {
            throw new IllegalArgumentException(enclaves + " enclaves on " + options.sockets()
                    + " sockets: which enclave is where is not modelled; use one socket");
        }
    }

    /** One run: whose event comes first, and who is over. */
    private static final class Run implements SimInterference {
        private final SimCard card;
        private final EventTree first;
        private final List<SimEngine> engines = new ArrayList<>();
        private final boolean[] busy;
        private final boolean[] over;
        private final SimResult[] results;

        Run(SimEnclaves of, SimSetup setup) {
            card = SimCard.of(of.cores, setup.costs());
            first = new EventTree(of.enclaves);
            busy = new boolean[of.enclaves];
            over = new boolean[of.enclaves];
            results = new SimResult[of.enclaves];
            card.cores().onRescheduled(this::rescheduled);
        }

        void add(SimSetup setup, Supplier<? extends Agent> policy, SimLoad load, @Nullable SimTrace trace) {
            SimEngine engine = new SimEngine(setup, _ -> policy.get(), load, trace, card);
            engine.among(this);
            engines.add(engine);
            engine.boot();
            first.set(engines.size() - 1, engine.nextNanos());
        }

        private void rescheduled(int enclave) {
            if (!busy[enclave] && !over[enclave]) {
                first.set(enclave, engines.get(enclave).nextNanos());
            }
        }

        List<SimResult> go() {
            until(EventTree.NEVER);
            return List.of(results);
        }

        @Override
        public long nextNanos() {
            return first.firstNanos();
        }

        @Override
        public void until(long nanos) {
            while (first.firstNanos() < nanos) {
                step(first.first());
            }
        }

        /** An enclave in the middle of a step has none that is due. */
        private void step(int enclave) {
            SimEngine engine = engines.get(enclave);
            first.set(enclave, EventTree.NEVER);
            if (engine.isOver()) {
                over[enclave] = true;
                results[enclave] = engine.end();
                card.cores().leave(enclave);
                return;
            }
            busy[enclave] = true;
            engine.step();
            busy[enclave] = false;
            first.set(enclave, engine.nextNanos());
        }
    }
}
