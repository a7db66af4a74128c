package dev.bascule.swap;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.region.NicLayout;
import dev.bascule.agent.region.RegionLayout;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Where the swap's lines lie. Host lines outlive epochs; what an agent writes is in the banks: a line of its own, behind
 * it the decisions it promises. The end of host memory is the host's alone. Every object has one writer, except the word
 * of the one-word mode.
 */
final class SwapLayout extends NicLayout {
    private final int batch;

    SwapLayout(EnclaveShape shape, SwapMode mode) {
        super(shape, shape.cpus() * (long) LINE, 2L * LINE, (1L + mode.batch(shape.staged())) * LINE);
        batch = mode.batch(shape.staged());
    }

    /** Decisions of a promise, at most; an agent line comes before them. */
    int batch() {
        return batch;
    }

    /** Written by the host: offers and outcomes. Epochs follow each other in the same line. */
    long hostLine(int cpu) {
        return lasting() + cpu * (long) LINE;
    }

    /** Written by the host: whether the CPU sleeps. */
    long sleeping(int epoch, int cpu) {
        return cpu(epoch, cpu);
    }

    /** Compare-and-swapped by both (one-word mode). */
    long word(int epoch, int cpu) {
        return cpu(epoch, cpu) + LINE;
    }

    /** Written by the agent: its line; the decisions it promises follow. In host memory (push) or NIC memory (pull). */
    long agentLine(boolean push, int epoch, int cpu) {
        return decisions(push, epoch, cpu);
    }

    /** Written by the agent: the {@code index}th decision it promises. */
    long decision(boolean push, int epoch, int cpu, int index) {
        return agentLine(push, epoch, cpu) + (1L + index) * LINE;
    }

    /** The first byte of host memory that no agent has any business with. */
    long hostPrivate() {
        return super.hostBytes();
    }

    /** The host's alone, and survives it: the CPU's cell record. */
    long record(int cpu) {
        return hostPrivate() + (long) cpu * CellRecord.SIZE_BYTES;
    }

    @Override
    public long hostBytes() {
        return hostPrivate() + RegionLayout.page((long) shape().cpus() * CellRecord.SIZE_BYTES);
    }

    /**
     * NIC memory in which host and agent can compare-and-swap one word.
     *
     * @throws AgentException if {@code memory} is none
     */
    MemorySegment requireCoherent(@Nullable MemorySegment memory) {
        if (memory == null || memory.byteSize() < nicBytes()) {
            throw new AgentException("swap mode " + SwapMode.ONE_WORD.text() + ": this memory is not coherent, so that "
                    + "the ends cannot compare-and-swap one word; use --placement coherent, or another mode");
        }
        return memory;
    }
}
