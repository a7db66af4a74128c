package dev.bascule.local;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.StatusTable;
import dev.bascule.ring.SlotRing;

/**
 * Where things lie in a local region. Everything that belongs to an epoch lies in one of two banks, so that a fenced
 * agent that goes on writing cannot touch what its successor uses. What does not depend on a call's arguments is
 * computed once: these are on the path of every decision.
 */
final class LocalLayout {
    static final int LINE = 64;
    /** Lines of different writers lie that far apart: CPUs fetch the neighbours of a line, too. */
    static final int PLACE = 256;
    static final int BANKS = 2;
    static final long HEADER = 0;
    static final long HOST_CONTROL = 128;
    private static final long FIRST = 4096;
    private static final long COUNT = (1L << 48) - 1;

    private final EnclaveShape shape;
    private final long ringBytes;
    private final long controlsAt;
    private final long cpusAt;
    private final long wordBytes;
    private final long slotsAt;
    private final long cpuBytes;
    private final long banks;
    private final long bankBytes;

    LocalLayout(EnclaveShape shape) {
        this.shape = shape;
        ringBytes = SlotRing.sizeBytes(shape.channelEntries());
        controlsAt = shape.agents() * ringBytes;
        cpusAt = place(controlsAt + shape.agents() * 2L * LINE);
        wordBytes = place(shape.places() * 8L);
        slotsAt = 2 * PLACE + 2 * wordBytes;
        cpuBytes = place(slotsAt + (long) shape.places() * LINE);
        banks = page(FIRST + StatusTable.sizeBytes(shape));
        bankBytes = page(cpusAt + shape.cpus() * cpuBytes);
    }

    long status() {
        return FIRST;
    }

    long ringBytes() {
        return ringBytes;
    }

    long bank(int epoch) {
        return banks + (epoch & 1) * bankBytes;
    }

    long bankSize() {
        return bankBytes;
    }

    long channel(int epoch, int agent) {
        return bank(epoch) + agent * ringBytes;
    }

    /** Number of an epoch's first message: what an agent two epochs old takes or gives back is of another number. */
    static long firstMessage(int epoch) {
        return (long) epoch << 32;
    }

    /** An agent's count of interrupts as its word says it: epoch 16 | count 48. */
    static long kick(int epoch, long count) {
        return (long) epoch << 48 | count & COUNT;
    }

    long agentControl(int epoch, int agent) {
        return bank(epoch) + controlsAt + agent * 2L * LINE;
    }

    /**
     * Per CPU, at places of their own: the interrupt count with its epoch (agent writes), the sleeping flag (host writes), a word a slot
     * for who takes it (host, or agent to withdraw), a word a slot for its outcome (host writes), slots (agent writes).
     */
    long cpu(int epoch, int cpu) {
        return bank(epoch) + cpusAt + cpu * cpuBytes;
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

    long sizeBytes() {
        return banks + BANKS * bankBytes;
    }

    private static long place(long bytes) {
        return (bytes + PLACE - 1) & -PLACE;
    }

    private static long page(long bytes) {
        return (bytes + 4095) & -4096;
    }
}
