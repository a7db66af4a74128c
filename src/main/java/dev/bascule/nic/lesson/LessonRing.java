package dev.bascule.nic.lesson;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Registers;
import dev.bascule.nic.CardRing;
import dev.bascule.nic.RingMemory;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** A ring of descriptors. One is the card's until its last byte, the phase, is that of the card's lap. */
final class LessonRing implements CardRing {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final int PHASE_SHIFT = 56;
    private static final long ERROR = 1L << 32;

    private final RingMemory memory;
    private final Registers registers;
    private final int block;
    private final int entries;

    /** @param block offset of the ring's registers */
    LessonRing(DeviceBacking backing, int block, int entries) {
        memory = new RingMemory(backing.addressSpace(), "lesson ring", 16L * entries);
        registers = backing.registers(0);
        this.block = block;
        this.entries = entries;
    }

    void start() {
        registers.write32(block, (int) memory.iova(0));
        registers.write32(block + 0x04, (int) (memory.iova(0) >>> 32));
        registers.write32(block + 0x08, Integer.numberOfTrailingZeros(entries));
    }

    @Override
    public RingMemory memory() {
        return memory;
    }

    @Override
    public int slots() {
        return entries;
    }

    /** Writes a descriptor, whose phase is the opposite of what the card will write. */
    @Override
    public int give(int index, long iova, int lengthBytes) {
        WORD.set(memory.segment(), at(index), iova);
        WORD.set(memory.segment(), at(index) + 8, lengthBytes | (cardsPhase(index) ^ 1) << PHASE_SHIFT);
        return index & entries - 1;
    }

    @Override
    public boolean tell(int tail) {
        VarHandle.releaseFence(); // partner: the card's read of a descriptor after that of the tail
        registers.write32(block + 0x0c, tail & 0xFFFF);
        return true;
    }

    @Override
    public int done(int head, int tail) {
        int index = head;
        while (index != tail && word(index) >>> PHASE_SHIFT == cardsPhase(index)) {
            index++;
        }
        return index - head;
    }

    @Override
    public int lengthBytes(int head) {
        long word = word(head);
        return (word & ERROR) == 0 ? (int) word : 0;
    }

    /** The half that the card writes. Acquire: partner is its write of the completion after that of the data. */
    private long word(int index) {
        return (long) WORD.getAcquire(memory.segment(), at(index) + 8);
    }

    private long at(int index) {
        return 16L * (index & entries - 1);
    }

    private long cardsPhase(int index) {
        return (index & entries) == 0 ? 1 : 0;
    }

    /** The card interrupts at once if it has done more by now. */
    @Override
    public void arm(int head) {
        registers.write32(block + 0x14, head & 0xFFFF);
    }
}
