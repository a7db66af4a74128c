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
    static final int BANKS = 2;
    static final long HEADER = 0;
    static final long HOST_CONTROL = 128;
    private static final long FIRST = 4096;

    private final EnclaveShape shape;
    private final long ringBytes;
    private final long controlsAt;
    private final long cpusAt;
    private final long cpuBytes;
    private final long banks;
    private final long bankBytes;

    LocalLayout(EnclaveShape shape) {
        this.shape = shape;
        ringBytes = SlotRing.sizeBytes(shape.channelEntries());
        controlsAt = shape.agents() * ringBytes;
        cpusAt = controlsAt + shape.agents() * 2L * LINE;
        cpuBytes = (shape.staged() + 2L) * LINE;
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

    long agentControl(int epoch, int agent) {
        return bank(epoch) + controlsAt + agent * 2L * LINE;
    }

    /** Per CPU: a line for the interrupt count (agent writes), a line for the sleeping flag (host writes), slots. */
    long cpu(int epoch, int cpu) {
        return bank(epoch) + cpusAt + cpu * cpuBytes;
    }

    long slot(int epoch, int cpu, int number) {
        return cpu(epoch, cpu) + (2 + shape.place(number)) * (long) LINE;
    }

    long sizeBytes() {
        return banks + BANKS * bankBytes;
    }

    private static long page(long bytes) {
        return (bytes + 4095) & -4096;
    }
}
