package dev.bascule.run;

import dev.bascule.host.LinkSetup;
import dev.bascule.host.MachineTopology;
import dev.bascule.registry.PolicySpec;
import dev.bascule.workload.Arrivals;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Plan of the main job.
 *
 * @param columns what is played one after the other and compared, the reference first
 * @param load what is offered
 * @param agent who decides
 * @param host emulated CPUs and what they do without a decision
 * @param region where host and agent meet
 * @param fallbackLimit largest part of the decisions, 0 to 1, that the host's fallback may make in a policy's run
 * @param tracing what happens is kept for a trace
 * @param enclaves that share the CPUs, instead of transports one after the other
 */
public record RunPlan(List<Column> columns, Load load, Agent agent, Host host, Region region, double fallbackLimit,
        boolean tracing, EnclavePlan enclaves) {
    /** Plan of a repeat, counted from 0: this plan with another seed. */
    RunPlan repeat(int number) {
        Load same = load;
        return new RunPlan(columns, new Load(same.arrivals, same.parts, same.pointNanos, same.warmNanos,
                same.seed + number, same.nices, same.cpus), agent, host, region, fallbackLimit, tracing, enclaves);
    }

    /** Plan of an enclave or a column: this plan with its own policy and number of agents. */
    RunPlan of(PolicySpec policy, int agents) {
        Agent own = new Agent(policy, agents, agent.place, agent.killNanos, agent.upgradeNanos,
                agent.upgradeEveryNanos, agent.by, agent.report);
        return new RunPlan(columns, load, own, host, region, fallbackLimit, tracing, enclaves);
    }

    /** Column of that name; null: there is none. */
    @Nullable
    public Column column(String name) {
        return columns.stream().filter(one -> one.name.equals(name)).findFirst().orElse(null);
    }

    /** Whether policies are compared, and not transports. */
    public boolean comparesPolicies() {
        return columns.stream().anyMatch(one -> !one.name.equals(one.transport));
    }

    /**
     * Column of the table.
     *
     * @param name of the transport, or of the policy if policies are compared
     * @param transport agents' way to the host, or {@link Transports#NO_AGENT}
     * @param policy what its agents run
     */
    public record Column(String name, String transport, PolicySpec policy) {
        /** Transports under one policy. */
        public static List<Column> ofTransports(List<String> transports, PolicySpec policy) {
            return transports.stream().map(name -> new Column(name, name, policy)).toList();
        }
    }

    /**
     * Load that is offered.
     *
     * @param arrivals of requests, at the mean rate of each load
     * @param parts offered loads as parts of one host core's capacity
     * @param pointNanos length of one load point
     * @param warmNanos warm-up before the first point of each transport, not counted
     * @param seed decides arrivals and request kinds
     * @param nices priorities of classes of requests by name; 0 for the rest
     * @param cpus masks of the CPUs that classes of requests may use, by name; any for the rest
     */
    public record Load(Arrivals arrivals, List<Double> parts, long pointNanos, long warmNanos, long seed,
            Map<String, Integer> nices,
            Map<String, Long> cpus) {}

    /**
     * Agents that decide.
     *
     * @param policy what each runs, unless an enclave or a column says otherwise
     * @param count how many there are, each with CPUs of its own
     * @param place where they run
     * @param killNanos when to kill the first agent of each transport; 0: never
     * @param upgradeNanos when to replace them by new ones that take over from them; 0: never
     * @param upgradeEveryNanos how long after each upgrade to do it again; 0: not again
     * @param by what starts it on a card's cores; null: this program
     * @param report beside which their logs are kept if they hold a stack; null: they stay in the run directory
     */
    public record Agent(PolicySpec policy, int count, AgentPlace place, long killNanos, long upgradeNanos,
            long upgradeEveryNanos, @Nullable String by, @Nullable Path report) {}

    /**
     * Emulated CPUs and what they do without a decision.
     *
     * @param cpus emulated CPUs
     * @param carriers carrier threads of this JVM
     * @param pin host and agent each on a core of its own
     * @param polling idle CPUs poll; off: they sleep until the interrupt
     * @param patience how long they wait for their agent
     * @param channelEntries messages a channel holds
     * @param staged decisions staged per CPU
     * @param starvationNanos limit of starvation; 0: none
     * @param tickNanos time between ticks; 0: none
     * @param workers tasks that carry requests
     * @param jobsInARow requests of one class that a task may do in a row
     * @param faults what is planned to happen to CPUs
     * @param machine the machine's CPUs that the emulated ones are bound to; null: to none
     */
    public record Host(int cpus, int carriers, boolean pin, boolean polling, AgentWait patience, int channelEntries,
            int staged, long starvationNanos, long tickNanos, int workers, int jobsInARow,
            List<CpuFault> faults, @Nullable MachineTopology machine) {}

    /**
     * Where host and agent meet.
     *
     * @param link link, optimisations, and the swap's mode
     * @param directory run directory given by the user; null: a new one
     * @param place where the region is
     */
    public record Region(LinkSetup link, @Nullable Path directory, RegionPlace place) {}

    /** Where the agent runs. */
    public enum AgentPlace {
        /** A child process of this one. */
        PROCESS("a process of its own"),
        /** A thread of this process. */
        THREAD("a thread of the host's process"),
        /** A process that somebody else starts. */
        EXTERNAL("a process that was started by hand");

        /** For people. */
        public final String text;

        AgentPlace(String text) {
            this.text = text;
        }
    }
}
