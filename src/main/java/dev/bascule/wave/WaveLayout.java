package dev.bascule.wave;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.StatusTable;
import dev.bascule.memory.Window;

/**
 * Where things lie in NIC memory and in host memory. What belongs to an epoch lies in one of two banks, so that a fenced
 * agent that goes on writing cannot touch what its successor uses. Every object has one writer. What does not depend on
 * a call's arguments is computed once: these are on the path of every message and decision.
 */
final class WaveLayout {
    static final int LINE = 64;
    static final int BANKS = 2;
    static final long HEADER = 0;
    static final long HOST_CONTROL = 128;
    private static final long FIRST = 4096;
    private static final long AGENT_BYTES = 3L * LINE;

    private final EnclaveShape shape;
    private final int places;
    private final long cpuBytes;
    private final long channelBytes;
    private final long cpusAt;
    private final long channelsAt;
    private final long slotsAt;
    private final long nicBankBytes;
    private final long hostBanks;
    private final long hostSlotsAt;
    private final long hostBankBytes;

    WaveLayout(EnclaveShape shape) {
        this.shape = shape;
        places = shape.places();
        cpuBytes = 2L * LINE + (places * 8L + LINE - 1) / LINE * LINE;
        channelBytes = (long) shape.channelEntries() * LINE;
        cpusAt = shape.agents() * AGENT_BYTES;
        channelsAt = cpusAt + shape.cpus() * cpuBytes;
        slotsAt = channelsAt + shape.agents() * channelBytes;
        long slotBytes = (long) shape.cpus() * places * LINE;
        nicBankBytes = page(slotsAt + slotBytes);
        hostBanks = page(StatusTable.sizeBytes(shape));
        hostSlotsAt = shape.cpus() * (long) LINE;
        hostBankBytes = page(hostSlotsAt + slotBytes);
    }

    // ---- NIC memory: header, then per bank: agents' lines, CPUs' lines, channels, slots

    long nicBankBytes() {
        return nicBankBytes;
    }

    long nicBank(int epoch) {
        return FIRST + (epoch & 1) * nicBankBytes;
    }

    /** Written by the agent: heartbeat, state. */
    long agentControl(int epoch, int agent) {
        return nicBank(epoch) + agent * AGENT_BYTES;
    }

    /** Written by the agent: messages consumed. */
    long credit(int epoch, int agent) {
        return agentControl(epoch, agent) + LINE;
    }

    /** Written by the host now and then: messages sent, so that an agent can tell a quiet channel from a lost line. */
    long total(int epoch, int agent) {
        return agentControl(epoch, agent) + 2L * LINE;
    }

    private long cpu(int epoch, int cpu) {
        return nicBank(epoch) + cpusAt + cpu * cpuBytes;
    }

    /** Written by the host: number of the decision it asks for. */
    long wanted(int epoch, int cpu) {
        return cpu(epoch, cpu);
    }

    /** Written by the host: whether the CPU sleeps. */
    long sleeping(int epoch, int cpu) {
        return cpu(epoch, cpu) + LINE;
    }

    /** Written by the host: outcome of decision {@code number}. */
    long outcome(int epoch, int cpu, int number) {
        return cpu(epoch, cpu) + 2L * LINE + shape.place(number) * 8L;
    }

    /** Written by the host: messages. */
    long channel(int epoch, int agent) {
        return nicBank(epoch) + channelsAt + agent * channelBytes;
    }

    /** Written by the agent: decisions (pull placement). */
    long nicSlot(int epoch, int cpu, int number) {
        return nicBank(epoch) + slotsAt + slotInTable(cpu, number);
    }

    private long slotInTable(int cpu, int number) {
        return ((long) cpu * places + shape.place(number)) * LINE;
    }

    long nicBytes() {
        return FIRST + BANKS * nicBankBytes;
    }

    // ---- host memory: status words, then per bank: interrupt lines, slots

    long status() {
        return 0;
    }

    long hostBankBytes() {
        return hostBankBytes;
    }

    long hostBank(int epoch) {
        return hostBanks + (epoch & 1) * hostBankBytes;
    }

    /** Written by the agent, as an MSI-X write is: when it last wanted the CPU's attention. */
    long interrupt(int epoch, int cpu) {
        return hostBank(epoch) + cpu * (long) LINE;
    }

    /** Written by the agent: decisions (push placement). */
    long hostSlot(int epoch, int cpu, int number) {
        return hostBank(epoch) + hostSlotsAt + slotInTable(cpu, number);
    }

    long hostBytes() {
        return hostBanks + BANKS * hostBankBytes;
    }

    /** Zeroes memory, visibly for the other side. */
    static void clear(Window window, long from, long bytes) {
        for (long offset = from; offset < from + bytes; offset += 8) {
            window.storeRelease(offset, 0);
        }
        window.writeFence();
    }

    private static long page(long bytes) {
        return (bytes + 4095) & -4096;
    }
}
