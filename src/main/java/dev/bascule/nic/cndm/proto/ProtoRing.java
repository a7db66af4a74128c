package dev.bascule.nic.cndm.proto;

import static dev.bascule.nic.cndm.proto.ProtoRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Registers;
import dev.bascule.nic.CardRing;
import dev.bascule.nic.RingMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A ring of descriptors and its ring of completions, of as many entries: nobody but the driver sees to it that the
 * completions do not overrun it, and no more frames are ever on their way than there are descriptors.
 */
final class ProtoRing implements CardRing {
    private static final VarHandle INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final int LENGTH = 4;
    private static final int LAST_WORD = 8;
    private static final int MASK = 0xFFFF;

    private final Registers registers;
    private final int block;
    private final boolean sends;
    private final int log;
    private final int slots;
    private final long completions;
    private final RingMemory rings;
    private final MemorySegment memory;
    private int told;
    private int seen;

    /**
     * @param base offset of the port's registers
     * @param log log2 of the entries
     */
    ProtoRing(DeviceBacking backing, int base, boolean sends, int log) {
        registers = backing.registers(0);
        block = base + (sends ? SEND : RECEIVE);
        this.sends = sends;
        this.log = log;
        slots = 1 << log;
        completions = RingMemory.pages((long) slots * ENTRY_BYTES);
        rings = new RingMemory(backing.addressSpace(), "cndm-proto ring", 2 * completions);
        memory = rings.segment();
    }

    /** Sets both queues up, which are disabled. The completions' comes first: something may be completed at once. */
    void start() {
        enable(block + COMPLETIONS, rings.iova(completions));
        enable(block, rings.iova(0));
    }

    private void enable(int queue, long iova) {
        registers.write32(queue + POINTERS, 0);
        registers.write32(queue + ADDRESS_LOW, (int) iova);
        registers.write32(queue + ADDRESS_HIGH, (int) (iova >>> 32));
        registers.write32(queue + CONTROL, ENABLE | log << SIZE_SHIFT);
    }

    /** Whether the card has completed all that it was told of. */
    boolean isDone() {
        return done(told, told) == 0;
    }

    @Override
    public RingMemory memory() {
        return rings;
    }

    @Override
    public int slots() {
        return slots;
    }

    @Override
    public void clear() {
        CardRing.super.clear();
        told = 0;
        seen = 0;
    }

    /** Writes a descriptor: length, then address. */
    @Override
    public int give(int index, long iova, int lengthBytes) {
        int slot = index & slots - 1;
        INT.set(memory, (long) slot * ENTRY_BYTES + LENGTH, lengthBytes);
        LONG.set(memory, (long) slot * ENTRY_BYTES + LAST_WORD, iova);
        return slot;
    }

    /** Moves the host's pointer, once for a burst. */
    @Override
    public boolean tell(int tail) {
        told = tail;
        VarHandle.releaseFence(); // partner: the card's read of a descriptor after that of the pointer
        registers.write32(block + POINTERS, tail & MASK);
        return true;
    }

    /** Counts completions without a register read: one is new while its top bit is that of the round. */
    @Override
    public int done(int head, int tail) {
        while (seen != tail && isNew(seen)) {
            seen++;
        }
        return seen - head;
    }

    private boolean isNew(int index) {
        // acquire; partner: the card's write of the entry, after that of the frame
        long last = (long) LONG.getAcquire(memory, completion(index) + LAST_WORD);
        return last < 0 == ((index >>> log & 1) == 0);
    }

    private long completion(int index) {
        return completions + (long) (index & slots - 1) * ENTRY_BYTES;
    }

    /** The card tells the frame's length also where the buffer was shorter; such a frame is cut, and so none. */
    @Override
    public int lengthBytes(int head) {
        if (sends) {
            return 1;
        }
        int lengthBytes = (int) INT.get(memory, completion(head) + LENGTH) & MASK;
        int bufferBytes = (int) INT.get(memory, (long) (head & slots - 1) * ENTRY_BYTES + LENGTH);
        return lengthBytes <= bufferBytes ? lengthBytes : 0;
    }

    /** The card interrupts for each completion, asked or not. */
    @Override
    public void arm(int head) {}
}
