package dev.bascule.swap;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.region.AgentRegion;
import dev.bascule.agent.region.NicLayout;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.Window;
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

    /**
     * Compare-and-swapped by both (one-word mode): in NIC memory, or, pushed, in host memory where the agent's line would
     * be.
     */
    long word(boolean push, int epoch, int cpu) {
        return push ? agentLine(true, epoch, cpu) : mirror(epoch, cpu);
    }

    /** In NIC memory: the word itself, or what the host last stored in the one in host memory. */
    private long mirror(int epoch, int cpu) {
        return cpu(epoch, cpu) + LINE;
    }

    /**
     * The host's end of a CPU's word.
     *
     * @throws AgentException if its memory has no compare-and-swap
     */
    AtomicWord hostWord(RegionLinks links, boolean push, int epoch, int cpu) {
        long at = word(push, epoch, cpu);
        if (push) {
            return new MirroredWord(requireAtomics(links.hostMemory(), true), at, links.toNic(), mirror(epoch, cpu));
        }
        MemorySegment memory = links.coherent();
        return memory == null
                ? new WindowWord(requireAtomics(links.fromNic(), false), at)
                : new SegmentWord(requireWhole(memory), at);
    }

    /**
     * The agent's end of a CPU's word.
     *
     * @param coherent NIC memory itself, if the caller has it
     * @throws AgentException if its memory has no compare-and-swap
     */
    AtomicWord agentWord(AgentRegion region, @Nullable MemorySegment coherent, boolean push, int cpu) {
        int epoch = region.epoch();
        long at = word(push, epoch, cpu);
        if (push) {
            return new RemoteWord(region.nic(), mirror(epoch, cpu), requireAtomics(region.hostMemory(), true), at);
        }
        return coherent == null
                ? new WindowWord(requireAtomics(region.nic(), false), at)
                : new SegmentWord(requireWhole(coherent), at);
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
     * Checks that the host's end has what the one-word mode needs.
     *
     * @throws AgentException if it has not
     */
    void requireAtomics(RegionLinks links, boolean push) {
        if (push) {
            requireAtomics(links.hostMemory(), true);
        } else if (links.coherent() == null) {
            requireAtomics(links.fromNic(), false);
        }
    }

    private static Window requireAtomics(Window window, boolean push) {
        if (!window.hasAtomics()) {
            throw new AgentException("swap mode " + SwapMode.ONE_WORD.text() + (push
                    ? ": the NIC reaches host memory without AtomicOps, so that the ends cannot compare-and-swap one word; "
                            + "use another mode"
                    : ": this memory is not coherent, so that the ends cannot compare-and-swap one word; use --placement "
                            + "coherent, or push with a NIC that sends AtomicOps, or another mode"));
        }
        return window;
    }

    private MemorySegment requireWhole(MemorySegment memory) {
        if (memory.byteSize() < nicBytes()) {
            throw new AgentException("swap mode " + SwapMode.ONE_WORD.text() + ": the coherent memory has "
                    + memory.byteSize() + " bytes, and " + nicBytes() + " are needed");
        }
        return memory;
    }
}
