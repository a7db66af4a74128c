package dev.bascule.wave;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.region.NicLayout;

/** Where Wave's lines lie: a CPU's wish, sleep and outcomes in NIC memory; a line for each decision in either memory. */
final class WaveLayout extends NicLayout {
    WaveLayout(EnclaveShape shape) {
        super(shape, 0, 2L * LINE + (shape.places() * 8L + LINE - 1) / LINE * LINE, (long) shape.places() * LINE);
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
        return cpu(epoch, cpu) + 2L * LINE + shape().place(number) * 8L;
    }

    /** Written by the agent: decision {@code number}, in host memory (push) or NIC memory (pull). */
    long slot(boolean push, int epoch, int cpu, int number) {
        return decisions(push, epoch, cpu) + (long) shape().place(number) * LINE;
    }
}
