package dev.bascule.local;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.StatusTable;
import dev.bascule.ring.SlotRing;

/**
 * Where things lie in a local region. Everything that belongs to an epoch lies in one of two banks, so that a fenced
 * agent that goes on writing cannot touch what its successor uses.
 */
record LocalLayout(EnclaveShape shape) {
    static final int LINE = 64;
    static final int BANKS = 2;
    static final long HEADER = 0;
    static final long HOST_CONTROL = 128;
    private static final long FIRST = 4096;

    long status() {
        return FIRST;
    }

    private long banks() {
        return page(FIRST + StatusTable.sizeBytes(shape));
    }

    private long bankBytes() {
        return page(
                (long) shape.agents() * (2 * LINE + ringBytes()) + (long) shape.cpus() * (shape.staged() + 2L) * LINE);
    }

    long ringBytes() {
        return SlotRing.sizeBytes(shape.channelEntries());
    }

    long bank(int epoch) {
        return banks() + (epoch & 1) * bankBytes();
    }

    long bankSize() {
        return bankBytes();
    }

    long channel(int epoch, int agent) {
        return bank(epoch) + agent * ringBytes();
    }

    long agentControl(int epoch, int agent) {
        return bank(epoch) + shape.agents() * ringBytes() + agent * 2L * LINE;
    }

    /** Per CPU: a line for the interrupt count (agent writes), a line for the sleeping flag (host writes), slots. */
    long cpu(int epoch, int cpu) {
        return bank(epoch) + shape.agents() * (ringBytes() + 2L * LINE) + cpu * (shape.staged() + 2L) * LINE;
    }

    long slot(int epoch, int cpu, int number) {
        return cpu(epoch, cpu) + (2 + Integer.remainderUnsigned(number, shape.staged())) * (long) LINE;
    }

    long sizeBytes() {
        return banks() + BANKS * bankBytes();
    }

    private static long page(long bytes) {
        return (bytes + 4095) & -4096;
    }
}
