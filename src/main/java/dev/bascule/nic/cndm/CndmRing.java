package dev.bascule.nic.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.device.AddressSpace;
import dev.bascule.nic.CardRing;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RingMemory;
import dev.bascule.nic.TimestampUnit;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A send or receive queue with its completion queue. Completions name no descriptor: they come in the order of the
 * descriptors, and an entry is new while its phase bit is that of the round. The completion queue has twice the
 * entries, so that it is told only now and then how far it was read, and is never full: a full one drops entries for
 * good.
 * <p>
 * Thread rule: that of the ring.
 */
final class CndmRing implements CardRing {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LAST = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final int POINTER_MASK = 0xFFFF;
    private static final int BUFFER_MASK = 0xFFFF;
    private static final int NONE = -1;

    private final RingMemory rings;
    private final MemorySegment memory;
    private final CndmCommands commands;
    private final int port;
    private final boolean sends;
    private final int logSlots;
    private final int slots;
    private final long completions;
    /** Size of the buffers of a receive queue, one for all. */
    private int bufferBytes;
    private final @Nullable TimestampUnit stamps;
    private int queue = NONE;
    private int completionQueue = NONE;
    private long doorbell;
    private long completionDoorbell;
    /** Completions found new, taken by the caller, and told to the card; indices as those of frames. */
    private int seen;
    private int taken;
    private int acknowledged;
    private int told;

    CndmRing(CndmCommands commands, AddressSpace space, int port, boolean sends, int logSlots,
            @Nullable TimestampUnit stamps) {
        this.commands = commands;
        this.port = port;
        this.sends = sends;
        this.logSlots = logSlots;
        this.stamps = stamps;
        slots = 1 << logSlots;
        completions = RingMemory.pages((long) slots * ENTRY_BYTES);
        rings = new RingMemory(space, "cndm " + (sends ? "tx " : "rx ") + port,
                completions + 2L * slots * ENTRY_BYTES);
        memory = rings.segment();
    }

    // ---- control path

    /** Creates both queues, over empty rings. */
    void create(int vector) {
        completionQueue = commands.create(COMPLETION_QUEUE, port, BIT_31 | vector, logSlots + 1,
                rings.iova(completions));
        completionDoorbell = CndmCommands.doorbell(COMPLETION_QUEUE, port, completionQueue);
        if (stamps != null) {
            stamps.synchronize();
        }
        queue = commands.create(kind(), port, completionQueue, logSlots, rings.iova(0));
        doorbell = CndmCommands.doorbell(kind(), port, queue);
    }

    private int kind() {
        return sends ? SEND_QUEUE : RECEIVE_QUEUE;
    }

    /** Lets the card begin no more frames. */
    void destroyQueue() {
        if (queue != NONE) {
            commands.destroy(kind(), port, queue);
        }
    }

    /** Ends what is left of it; no frame is on its way. */
    void destroyCompletions() {
        if (completionQueue != NONE) {
            commands.destroy(COMPLETION_QUEUE, port, completionQueue);
        }
    }

    /** Whether the card has completed all that it was told of. */
    boolean isDone() {
        look();
        return seen == told;
    }

    /** Descriptors that the card has fetched and not completed; pointers stay when a queue is destroyed. */
    int inFlight() {
        if (queue == NONE) {
            return 0;
        }
        int consumer = commands.state(kind(), port, queue, CONSUMER >> 2);
        look();
        return consumer - seen & POINTER_MASK;
    }

    // ---- data path

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
        queue = NONE;
        completionQueue = NONE;
        seen = 0;
        taken = 0;
        acknowledged = 0;
        told = 0;
    }

    @Override
    public int give(int index, long iova, int lengthBytes) {
        int slot = index & slots - 1;
        long at = (long) slot * ENTRY_BYTES;
        bufferBytes = lengthBytes;
        memory.set(LONG, at, (long) (lengthBytes & BUFFER_MASK) << 32);
        memory.set(LONG, at + 8, iova);
        return slot;
    }

    @Override
    public boolean tell(int tail) {
        if (taken - acknowledged >= slots / 2) { // at most a ring and a half is ever on its way or not acknowledged
            acknowledge(0);
        }
        told = tail;
        VarHandle.releaseFence(); // partner: the card's read of a descriptor after that of the producer
        commands.bar().write32(doorbell, tail & POINTER_MASK);
        return true;
    }

    private void acknowledge(int arm) {
        acknowledged = taken;
        commands.bar().write32(completionDoorbell, taken & POINTER_MASK | arm);
    }

    @Override
    public int done(int head, int tail) {
        look();
        if (stamps != null && seen != head) {
            stamps.refresh();
        }
        return seen - head;
    }

    /** Looks for new completions, also for one more than there can be, by which a broken card is found out. */
    private void look() {
        int most = taken + slots + 1;
        int index = seen;
        while (index != most && isNew(index)) {
            index++;
        }
        seen = index;
    }

    private boolean isNew(int index) {
        // acquire; partner: the card's write of the entry, of which this word is the last
        long last = (long) LAST.getAcquire(memory, completion(index) + 8);
        return last < 0 == ((index >>> logSlots + 1 & 1) == 0);
    }

    private long completion(int index) {
        return completions + (long) (index & 2 * slots - 1) * ENTRY_BYTES;
    }

    /** A received frame that is longer than its buffer was cut, which the card does not say. */
    @Override
    public int lengthBytes(int head) {
        if (sends) {
            return 1;
        }
        int lengthBytes = (int) (memory.get(LONG, completion(head)) >>> 32) & BUFFER_MASK;
        return lengthBytes <= bufferBytes ? lengthBytes : 0;
    }

    @Override
    public long timestampNanos(int head) {
        if (stamps == null) {
            return PacketBatch.NO_TIMESTAMP;
        }
        long time = memory.get(LONG, completion(head) + 8);
        return stamps.extend(time & 0xFFFFFFFFL, (int) (time >>> 48));
    }

    @Override
    public void take(int slot) {
        taken++;
    }

    /** An entry that was written before is remembered, so that the interrupt may come at once and for nothing new. */
    @Override
    public void arm(int head) {
        acknowledge(BIT_31);
    }
}
