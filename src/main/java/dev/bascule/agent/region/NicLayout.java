package dev.bascule.agent.region;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.StatusTable;

/**
 * Layout of a region whose agents run on a NIC. NIC memory: header, whatever outlives epochs, then per bank the agents'
 * lines, the CPUs' lines, channels, decisions. Host memory: status words, then per bank the CPUs' interrupt lines and
 * decisions. Decisions lie in one of the two memories, as the transport's placement says. Every line has one writer. A
 * transport extends this by what lies within a CPU's lines and decisions.
 * <p>
 * What does not depend on a call's arguments is computed once: these are on the path of every message and decision.
 */
public class NicLayout implements RegionLayout {
    /** What comes before the first bank starts here. */
    public static final long FIRST = 4096;
    private static final long AGENT_BYTES = 3L * LINE;

    private final EnclaveShape shape;
    private final long cpuBytes;
    private final long decisionBytes;
    private final long channelBytes;
    private final long cpusAt;
    private final long channelsAt;
    private final long decisionsAt;
    private final long nicBanks;
    private final long nicBankBytes;
    private final long hostBanks;
    private final long hostDecisionsAt;
    private final long hostBankBytes;

    /**
     * A layout for enclaves of this shape.
     *
     * @param lastingBytes of NIC memory, from {@link #FIRST} on, that outlive epochs
     * @param cpuBytes lines of a CPU in a bank of NIC memory
     * @param decisionBytes decisions of a CPU in a bank of either memory
     */
    public NicLayout(EnclaveShape shape, long lastingBytes, long cpuBytes, long decisionBytes) {
        this.shape = shape;
        this.cpuBytes = cpuBytes;
        this.decisionBytes = decisionBytes;
        channelBytes = (long) shape.channelEntries() * LINE;
        cpusAt = shape.agents() * AGENT_BYTES;
        channelsAt = cpusAt + shape.cpus() * cpuBytes;
        decisionsAt = channelsAt + shape.agents() * channelBytes;
        nicBanks = RegionLayout.page(FIRST + lastingBytes);
        nicBankBytes = RegionLayout.page(decisionsAt + shape.cpus() * decisionBytes);
        hostBanks = RegionLayout.page(StatusTable.sizeBytes(shape));
        hostDecisionsAt = shape.cpus() * (long) LINE;
        hostBankBytes = RegionLayout.page(hostDecisionsAt + shape.cpus() * decisionBytes);
    }

    @Override
    public final EnclaveShape shape() {
        return shape;
    }

    @Override
    public final long nicBytes() {
        return nicBanks + BANKS * nicBankBytes;
    }

    @Override
    public long hostBytes() {
        return hostBanks + BANKS * hostBankBytes;
    }

    @Override
    public final long status() {
        return 0;
    }

    @Override
    public final long nicBank(int epoch) {
        return nicBanks + (epoch & 1) * nicBankBytes;
    }

    @Override
    public final long nicBankBytes() {
        return nicBankBytes;
    }

    @Override
    public final long hostBank(int epoch) {
        return hostBanks + (epoch & 1) * hostBankBytes;
    }

    @Override
    public final long hostBankBytes() {
        return hostBankBytes;
    }

    @Override
    public final long agentControl(int epoch, int agent) {
        return nicBank(epoch) + agent * AGENT_BYTES;
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
        return nicBank(epoch) + cpusAt + cpu * cpuBytes;
    }

    /** Written by the host: messages. */
    public final long channel(int epoch, int agent) {
        return nicBank(epoch) + channelsAt + agent * channelBytes;
    }

    /** Written by the agent: the CPU's decisions, in host memory (push) or NIC memory (pull). */
    public final long decisions(boolean push, int epoch, int cpu) {
        return (push ? hostBank(epoch) + hostDecisionsAt : nicBank(epoch) + decisionsAt) + cpu * decisionBytes;
    }

    /** Written by the agent in host memory, as an MSI-X write is: when it last wanted the CPU's attention. */
    public final long interrupt(int epoch, int cpu) {
        return hostBank(epoch) + cpu * (long) LINE;
    }
}
