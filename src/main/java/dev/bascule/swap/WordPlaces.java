package dev.bascule.swap;

import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;

/**
 * Where a host finds what belongs to words.
 *
 * @param memory NIC memory, coherent
 * @param to the same for stores
 * @param from the same for loads
 */
record WordPlaces(SwapLayout layout, MemorySegment memory, Window to, Window from) {
    AtomicWord word(int epoch, int cpu) {
        return new SegmentWord(memory, layout.word(epoch, cpu));
    }

    /** The line of the decision promised. */
    long decision(int epoch, int cpu) {
        return layout.decision(false, epoch, cpu, 0);
    }

    /** The word with the outcome. */
    long answer(int cpu) {
        return layout.hostLine(cpu);
    }
}
