package dev.bascule.local;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.ring.SlotRing;

/**
 * Where things lie in a local region. What belongs to an agent's epoch lies in one of two banks, so that a fenced agent
 * that goes on writing cannot touch what its successor uses. What does not depend on a call's arguments is
 * computed once: these are on the path of every decision.
 */
final class LocalLayout implements RegionLayout {
    /** Bytes between lines of different writers: a CPU fetches a line's neighbours, too. */
    static final int PLACE = 256;
    /** Answer of {@link #sleeping} for a CPU that wants a call for any decision. */
    static final long ASLEEP = 1;
    /** And of one that wants a call only for a decision that is not to wait. */
    static final long AT_WORK = 2;
    private static final long COUNT = (1L << 48) - 1;

    private final EnclaveShape shape;
    private final long ringBytes;
    private final long first;
    private final long cpusAt;
    private final long cpuBytes;
    private final long wordBytes;
    private final long slotsAt;
    private final long banks;
    private final long bankBytes;
    private final long banksBytes;
    /** Of each CPU, in the bank of even epochs. */
    private final long[] cpus;

    LocalLayout(EnclaveShape shape) {
        this.shape = shape;
        ringBytes = SlotRing.sizeBytes(shape.channelEntries());
        first = RegionLayout.first(shape);
        cpusAt = place(ringBytes + 2L * LINE);
        wordBytes = place(shape.places() * 8L);
        slotsAt = 2 * PLACE + 2 * wordBytes;
        cpuBytes = place(slotsAt + (long) shape.places() * LINE);
        banks = RegionLayout.page(first + StatusTable.sizeBytes(shape));
        bankBytes = RegionLayout.page(cpusAt + shape.mostCpus() * cpuBytes);
        banksBytes = shape.agents() * bankBytes;
        cpus = new long[shape.cpus()];
        for (int agent = 0; agent < shape.agents(); agent++) {
            int[] own = shape.cpusOf(agent);
            for (int i = 0; i < own.length; i++) {
                cpus[own[i]] = nicBank(0, agent) + cpusAt + i * cpuBytes;
            }
        }
    }

    @Override
    public EnclaveShape shape() {
        return shape;
    }

    @Override
    public long nicBytes() {
        return banks + BANKS * banksBytes;
    }

    /** One memory stands for both. */
    @Override
    public long hostBytes() {
        return nicBytes();
    }

    @Override
    public long status() {
        return first;
    }

    long ringBytes() {
        return ringBytes;
    }

    @Override
    public long nicBank(int epoch, int agent) {
        return banks + agent * bankBytes + odd(epoch);
    }

    private long odd(int epoch) {
        return (epoch & 1) * banksBytes;
    }

    @Override
    public long nicBankBytes() {
        return bankBytes;
    }

    @Override
    public long hostBank(int epoch, int agent) {
        return nicBank(epoch, agent);
    }

    @Override
    public long hostBankBytes() {
        return 0;
    }

    long channel(int epoch, int agent) {
        return nicBank(epoch, agent);
    }

    /** Number of an epoch's first message, so that an agent two epochs old, in the same bank, uses other numbers. */
    static long firstMessage(int epoch) {
        return (long) epoch << 32;
    }

    /** An agent's count of interrupts as its word says it: epoch 16 | count 48. */
    static long kick(int epoch, long count) {
        return (long) epoch << 48 | count & COUNT;
    }

    @Override
    public long agentControl(int epoch, int agent) {
        return nicBank(epoch, agent) + ringBytes;
    }

    @Override
    public long takeOver(int epoch, int agent) {
        return agentControl(epoch, agent) + LINE;
    }

    /**
     * A CPU's lines, each writer's apart from the others': the interrupt count with its epoch (agent), the sleeping flag
     * (host), for each slot a word for who takes it (host, or agent to withdraw) and one for its outcome (host), the slots
     * (agent).
     */
    long cpu(int epoch, int cpu) {
        return cpus[cpu] + odd(epoch);
    }

    /**
     * Decisions that the CPU wants to be called for: 0 nothing, as it looks by itself; {@link #ASLEEP};
     * {@link #AT_WORK}.
     */
    long sleeping(int epoch, int cpu) {
        return cpu(epoch, cpu) + PLACE;
    }

    long slot(int epoch, int cpu, int number) {
        return cpu(epoch, cpu) + slotsAt + shape.place(number) * (long) LINE;
    }

    long claim(int epoch, int cpu, int number) {
        return cpu(epoch, cpu) + 2 * PLACE + shape.place(number) * 8L;
    }

    long outcome(int epoch, int cpu, int number) {
        return cpu(epoch, cpu) + 2 * PLACE + wordBytes + shape.place(number) * 8L;
    }

    /** For a host's end that is another program's. */
    LocalPlaces places() {
        return new LocalPlaces(status(), nicBank(0, 0), nicBank(1, 0), 0, cpusAt, cpuBytes, PLACE, 2L * PLACE,
                2L * PLACE + wordBytes, slotsAt, nicBytes());
    }

    private static long place(long bytes) {
        return (bytes + PLACE - 1) & -PLACE;
    }
}
