package dev.bascule.agent;

import java.util.stream.IntStream;

/**
 * Size of an enclave, agreed by both ends before anything is shared.
 *
 * @param cpus CPUs, 1 to {@link #MAX_CPUS}
 * @param tasks status words, 1 to {@link Identity#MAX_TASKS}
 * @param agents 1: one global agent; more: each decides for CPUs of its own ({@link #agentOf}); equal to {@code cpus}: one
 *     agent a CPU
 * @param channelEntries messages a channel holds, a power of two from 2 to 65,536
 * @param staged decisions that may be staged per CPU, 1 to 64
 * @param topology which CPUs share a core or a socket; flat where the host does not say
 */
public record EnclaveShape(int cpus, int tasks, int agents, int channelEntries, int staged, Topology topology) {
    /** The most CPUs: a cell of the bilateral swap has 12 bits to say whose it is. */
    public static final int MAX_CPUS = 4096;

    /** Checks the ranges. */
    public EnclaveShape {
        require("cpus", cpus, 1, MAX_CPUS);
        require("tasks", tasks, 1, Identity.MAX_TASKS);
        require("channelEntries", channelEntries, 2, 65_536);
        require("staged", staged, 1, 64);
        require("agents", agents, 1, cpus);
        if (topology.cpus() != cpus) {
            throw new IllegalArgumentException(
                    "enclave shape: the topology is of " + topology.cpus() + " CPUs, the enclave has " + cpus);
        }
        if (Integer.bitCount(channelEntries) != 1) {
            throw new IllegalArgumentException(
                    "enclave shape: channelEntries is " + channelEntries + ", must be a power of two");
        }
    }

    /** With a flat topology. */
    public EnclaveShape(int cpus, int tasks, int agents, int channelEntries, int staged) {
        this(cpus, tasks, agents, channelEntries, staged, Topology.flat(cpus));
    }

    /** A shape with one global agent, 1,024 messages and one staged decision a CPU. */
    public static EnclaveShape of(int cpus, int tasks) {
        return new EnclaveShape(cpus, tasks, 1, 1024, 1);
    }

    /**
     * Slots for a CPU's decisions: {@code staged} rounded up to a power of two, so that the order of slots stays cyclic
     * when the decision number wraps from 2^32 - 1 to 0.
     */
    public int places() {
        return staged == 1 ? 1 : Integer.highestOneBit(staged - 1) << 1;
    }

    /** Slot of a CPU's decision {@code number}, 0 to {@link #places} - 1. */
    public int place(int number) {
        return number & places() - 1;
    }

    /** Words of a mask of CPUs: one for every 64. */
    int maskWords() {
        return cpus + 63 >>> 6;
    }

    /**
     * Number of the agent that decides for the CPU and gets its events: agents take turns, core by core, so that any
     * run of CPUs is shared by all of them; with more agents than cores, CPU by CPU.
     */
    public int agentOf(int cpu) {
        return agents == 1 ? 0 : (agents <= topology.cores() ? topology.coreOf(cpu) : cpu) % agents;
    }

    /** The CPUs that the agent decides for, at least one, in their order. */
    public int[] cpusOf(int agent) {
        return IntStream.range(0, cpus).filter(cpu -> agentOf(cpu) == agent).toArray();
    }

    /** The most CPUs that an agent decides for: the first has at least as many as any other. */
    public int mostCpus() {
        return cpusOf(0).length;
    }

    /**
     * Checks the number of an agent that is about to attach, before anything is written.
     *
     * @throws AgentException if the enclave has no such agent
     */
    public void requireAgent(int agent) {
        if (agent < 0 || agent >= agents) {
            throw new AgentException("attach agent " + agent + ": this region is for " + agents
                    + (agents == 1 ? " agent, number 0" : " agents, numbers 0 to " + (agents - 1)));
        }
    }

    private static void require(String name, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(
                    "enclave shape: " + name + " is " + value + ", must be " + low + " to " + high);
        }
    }
}
