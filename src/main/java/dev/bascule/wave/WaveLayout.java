package dev.bascule.wave;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.StatusTable;
import dev.bascule.memory.Window;

/**
 * Where things lie in NIC memory and in host memory. What belongs to an epoch lies in one of two banks, so that a fenced
 * agent that goes on writing cannot touch what its successor uses. Every object has one writer.
 */
record WaveLayout(EnclaveShape shape) {
    static final int LINE = 64;
    static final int BANKS = 2;
    static final long HEADER = 0;
    static final long HOST_CONTROL = 128;
    private static final long FIRST = 4096;

    // ---- NIC memory: header, then per bank: agents' lines, CPUs' lines, channels, slots

    private long agentBytes() {
        return 3L * LINE;
    }

    private long cpuBytes() {
        return 2L * LINE + outcomeBytes();
    }

    private long outcomeBytes() {
        return (shape.staged() * 8L + LINE - 1) / LINE * LINE;
    }

    private long slotBytes() {
        return (long) shape.cpus() * shape.staged() * LINE;
    }

    private long channelBytes() {
        return (long) shape.channelEntries() * LINE;
    }

    long nicBankBytes() {
        return page(shape.agents() * (agentBytes() + channelBytes()) + shape.cpus() * cpuBytes() + slotBytes());
    }

    long nicBank(int epoch) {
        return FIRST + (epoch & 1) * nicBankBytes();
    }

    /** Written by the agent: heartbeat, state. */
    long agentControl(int epoch, int agent) {
        return nicBank(epoch) + agent * agentBytes();
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
        return nicBank(epoch) + shape.agents() * agentBytes() + cpu * cpuBytes();
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
        return cpu(epoch, cpu) + 2L * LINE + Integer.remainderUnsigned(number, shape.staged()) * 8L;
    }

    private long channels(int epoch) {
        return nicBank(epoch) + shape.agents() * agentBytes() + shape.cpus() * cpuBytes();
    }

    /** Written by the host: messages. */
    long channel(int epoch, int agent) {
        return channels(epoch) + agent * channelBytes();
    }

    /** Written by the agent: decisions (pull placement). */
    long nicSlot(int epoch, int cpu, int number) {
        return channels(epoch) + shape.agents() * channelBytes() + slotInTable(cpu, number);
    }

    private long slotInTable(int cpu, int number) {
        return ((long) cpu * shape.staged() + Integer.remainderUnsigned(number, shape.staged())) * LINE;
    }

    long nicBytes() {
        return FIRST + BANKS * nicBankBytes();
    }

    // ---- host memory: status words, then per bank: interrupt lines, slots

    long status() {
        return 0;
    }

    private long hostBanks() {
        return page(StatusTable.sizeBytes(shape));
    }

    long hostBankBytes() {
        return page((long) shape.cpus() * LINE + slotBytes());
    }

    long hostBank(int epoch) {
        return hostBanks() + (epoch & 1) * hostBankBytes();
    }

    /** Written by the agent, as an MSI-X write is: when it last wanted the CPU's attention. */
    long interrupt(int epoch, int cpu) {
        return hostBank(epoch) + cpu * (long) LINE;
    }

    /** Written by the agent: decisions (push placement). */
    long hostSlot(int epoch, int cpu, int number) {
        return hostBank(epoch) + shape.cpus() * (long) LINE + slotInTable(cpu, number);
    }

    long hostBytes() {
        return hostBanks() + BANKS * hostBankBytes();
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
