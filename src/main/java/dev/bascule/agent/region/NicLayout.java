package dev.bascule.agent.region;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.StatusTable;

/**
 * Layout of a region whose agents run on a NIC. NIC memory: header and control words, whatever outlives epochs, then per
 * bank of each agent its own lines, its CPUs' lines, its channel, decisions. Host memory: status words, then per bank of
 * each agent its CPUs' interrupt lines and decisions. Decisions lie in one of the two memories, as the transport's
 * placement says. Every line has one writer. A transport extends this by what lies within a CPU's lines and decisions.
 * <p>
 * What does not depend on a call's arguments is computed once: these are on the path of every message and decision.
 */
public class NicLayout implements RegionLayout {
    private static final long AGENT_BYTES = 3L * LINE;

    private final EnclaveShape shape;
    private final long channelAt;
    private final long nicBanks;
    private final long nicBankBytes;
    /** Of all agents. */
    private final long nicBanksBytes;
    private final long hostBanks;
    private final long hostBankBytes;
    private final long hostBanksBytes;
    /** Of each CPU, in the banks of even epochs. */
    private final long[] cpus;
    private final long[] nicDecisions;
    private final long[] hostDecisions;
    private final long[] interrupts;

    /**
     * A layout for enclaves of this shape.
     *
     * @param lastingBytes of NIC memory, from {@link #lasting} on, that outlive epochs
     * @param cpuBytes lines of a CPU in a bank of NIC memory
     * @param decisionBytes decisions of a CPU in a bank of either memory
     */
    public NicLayout(EnclaveShape shape, long lastingBytes, long cpuBytes, long decisionBytes) {
        this.shape = shape;
        long cpusAt = AGENT_BYTES;
        channelAt = cpusAt + shape.mostCpus() * cpuBytes;
        long decisionsAt = channelAt + shape.channelEntries() * (long) LINE;
        nicBanks = RegionLayout.page(lasting() + lastingBytes);
        nicBankBytes = RegionLayout.page(decisionsAt + shape.mostCpus() * decisionBytes);
        nicBanksBytes = shape.agents() * nicBankBytes;
        hostBanks = RegionLayout.page(StatusTable.sizeBytes(shape));
        long hostDecisionsAt = shape.mostCpus() * (long) LINE;
        hostBankBytes = RegionLayout.page(hostDecisionsAt + shape.mostCpus() * decisionBytes);
        hostBanksBytes = shape.agents() * hostBankBytes;
        cpus = ofCpus(nicBanks, nicBankBytes, cpusAt, cpuBytes);
        nicDecisions = ofCpus(nicBanks, nicBankBytes, decisionsAt, decisionBytes);
        interrupts = ofCpus(hostBanks, hostBankBytes, 0, LINE);
        hostDecisions = ofCpus(hostBanks, hostBankBytes, hostDecisionsAt, decisionBytes);
    }

    private long[] ofCpus(long banks, long bankBytes, long at, long bytes) {
        long[] offsets = new long[shape.cpus()];
        for (int agent = 0; agent < shape.agents(); agent++) {
            int[] own = shape.cpusOf(agent);
            for (int i = 0; i < own.length; i++) {
                offsets[own[i]] = banks + agent * bankBytes + at + i * bytes;
            }
        }
        return offsets;
    }

    @Override
    public final EnclaveShape shape() {
        return shape;
    }

    /** Offset of the first part that outlives epochs. */
    protected final long lasting() {
        return RegionLayout.first(shape);
    }

    @Override
    public final long nicBytes() {
        return nicBanks + BANKS * nicBanksBytes;
    }

    @Override
    public long hostBytes() {
        return hostBanks + BANKS * hostBanksBytes;
    }

    @Override
    public final long status() {
        return 0;
    }

    @Override
    public final long nicBank(int epoch, int agent) {
        return nicBanks + agent * nicBankBytes + nicOdd(epoch);
    }

    private long nicOdd(int epoch) {
        return (epoch & 1) * nicBanksBytes;
    }

    @Override
    public final long nicBankBytes() {
        return nicBankBytes;
    }

    @Override
    public final long hostBank(int epoch, int agent) {
        return hostBanks + agent * hostBankBytes + hostOdd(epoch);
    }

    private long hostOdd(int epoch) {
        return (epoch & 1) * hostBanksBytes;
    }

    @Override
    public final long hostBankBytes() {
        return hostBankBytes;
    }

    @Override
    public final long agentControl(int epoch, int agent) {
        return nicBank(epoch, agent);
    }

    /** In the line of the credit, which the agent writes as well. */
    @Override
    public final long takeOver(int epoch, int agent) {
        return credit(epoch, agent) + Long.BYTES;
    }

    /** Written by the agent: messages consumed. */
    public final long credit(int epoch, int agent) {
        return agentControl(epoch, agent) + LINE;
    }

    /** Written by the host now and then: messages sent, so that an agent can tell a quiet channel from a lost line. */
    public final long total(int epoch, int agent) {
        return agentControl(epoch, agent) + 2L * LINE;
    }

    /** The CPU's lines in NIC memory. */
    public final long cpu(int epoch, int cpu) {
        return cpus[cpu] + nicOdd(epoch);
    }

    /** Written by the host: messages. */
    public final long channel(int epoch, int agent) {
        return nicBank(epoch, agent) + channelAt;
    }

    /** Written by the agent: the CPU's decisions, in host memory (push) or NIC memory (pull). */
    public final long decisions(boolean push, int epoch, int cpu) {
        return push ? hostDecisions[cpu] + hostOdd(epoch) : nicDecisions[cpu] + nicOdd(epoch);
    }

    /** Written by the agent in host memory, as an MSI-X write is: when it last wanted the CPU's attention. */
    public final long interrupt(int epoch, int cpu) {
        return interrupts[cpu] + hostOdd(epoch);
    }
}
