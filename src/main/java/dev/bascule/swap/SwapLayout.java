package dev.bascule.swap;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.StatusTable;
import dev.bascule.memory.Window;

/**
 * Where things lie in NIC memory and in host memory. What an agent writes lies in one of two banks by epoch, so that a
 * fenced agent that goes on writing cannot touch what its successor uses. Every object has one writer, except the word
 * of the one-word mode. What does not depend on a call's arguments is computed once: these are on the path of every
 * decision.
 */
final class SwapLayout {
    static final int LINE = 64;
    static final int BANKS = 2;
    static final long HEADER = 0;
    static final long HOST_CONTROL = 128;
    private static final long FIRST = 4096;
    private static final long AGENT_BYTES = 3L * LINE;
    private static final long CPU_BYTES = 2L * LINE;

    private final EnclaveShape shape;
    private final int batch;
    private final long promiseBytes;
    private final long channelBytes;
    private final long cpusAt;
    private final long channelsAt;
    private final long promisesAt;
    private final long banks;
    private final long nicBankBytes;
    private final long hostBanks;
    private final long hostPromisesAt;
    private final long hostBankBytes;

    SwapLayout(EnclaveShape shape, SwapMode mode) {
        this.shape = shape;
        batch = mode.batch(shape.staged());
        promiseBytes = (1L + batch) * LINE;
        channelBytes = (long) shape.channelEntries() * LINE;
        cpusAt = shape.agents() * AGENT_BYTES;
        channelsAt = cpusAt + shape.cpus() * CPU_BYTES;
        promisesAt = channelsAt + shape.agents() * channelBytes;
        banks = page(FIRST + shape.cpus() * (long) LINE);
        nicBankBytes = page(promisesAt + shape.cpus() * promiseBytes);
        hostBanks = page(StatusTable.sizeBytes(shape));
        hostPromisesAt = shape.cpus() * (long) LINE;
        hostBankBytes = page(hostPromisesAt + shape.cpus() * promiseBytes);
    }

    EnclaveShape shape() {
        return shape;
    }

    /** Decisions of a promise, at most; an agent line comes before them. */
    int batch() {
        return batch;
    }

    // ---- NIC memory: header, host lines, then per bank: agents' lines, CPUs' lines, channels, agent lines

    /** Written by the host: offers and outcomes. Epochs follow each other in the same line. */
    long hostLine(int cpu) {
        return FIRST + cpu * (long) LINE;
    }

    long nicBankBytes() {
        return nicBankBytes;
    }

    long nicBank(int epoch) {
        return banks + (epoch & 1) * nicBankBytes;
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
        return nicBank(epoch) + cpusAt + cpu * CPU_BYTES;
    }

    /** Written by the host: whether the CPU sleeps. */
    long sleeping(int epoch, int cpu) {
        return cpu(epoch, cpu);
    }

    /** Compare-and-swapped by both (one-word mode). */
    long word(int epoch, int cpu) {
        return cpu(epoch, cpu) + LINE;
    }

    /** Written by the host: messages. */
    long channel(int epoch, int agent) {
        return nicBank(epoch) + channelsAt + agent * channelBytes;
    }

    private long nicPromise(int epoch, int cpu) {
        return nicBank(epoch) + promisesAt + cpu * promiseBytes;
    }

    long nicBytes() {
        return banks + BANKS * nicBankBytes;
    }

    // ---- host memory: status words, then per bank: interrupt lines, agent lines; at the end the host's records

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

    private long hostPromise(int epoch, int cpu) {
        return hostBank(epoch) + hostPromisesAt + cpu * promiseBytes;
    }

    /** Written by the agent: its line; the decisions it promises follow. In host memory (push) or NIC memory (pull). */
    long agentLine(boolean push, int epoch, int cpu) {
        return push ? hostPromise(epoch, cpu) : nicPromise(epoch, cpu);
    }

    /** Written by the agent: the {@code index}th decision it promises. */
    long decision(boolean push, int epoch, int cpu, int index) {
        return agentLine(push, epoch, cpu) + (1L + index) * LINE;
    }

    /** The first byte that no agent has any business with. */
    long hostPrivate() {
        return hostBanks + BANKS * hostBankBytes;
    }

    /** The host's alone, and survives it: the CPU's cell record. */
    long record(int cpu) {
        return hostPrivate() + (long) cpu * CellRecord.SIZE_BYTES;
    }

    long hostBytes() {
        return hostPrivate() + page((long) shape.cpus() * CellRecord.SIZE_BYTES);
    }

    private static long page(long bytes) {
        return (bytes + 4095) & -4096;
    }

    void requireSizes(Window nic, Window host) {
        if (nic.sizeBytes() < nicBytes() || host.sizeBytes() < hostBytes()) {
            throw new AgentException("attach to swap region: it is cut off: needs " + nicBytes()
                    + " bytes of NIC memory and " + hostBytes() + " of host memory, has " + nic.sizeBytes() + " and "
                    + host.sizeBytes() + "; restart the host");
        }
    }

    /** Zeroes what an epoch will use, visibly for the other side. */
    void clearBank(Window nic, Window host, int epoch) {
        clear(nic, nicBank(epoch), nicBankBytes());
        clear(host, hostBank(epoch), hostBankBytes());
    }

    private static void clear(Window window, long from, long bytes) {
        for (long offset = from; offset < from + bytes; offset += 8) {
            window.storeRelease(offset, 0);
        }
        window.writeFence();
    }
}
