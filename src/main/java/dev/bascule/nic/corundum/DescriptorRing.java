package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicFormats.*;
import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.RawMemory;
import dev.bascule.memory.BufferPool;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.nic.RingMemory;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The ring of a TX or RX queue: {@link #put} and {@link #push} at its tail, {@link #commit} to tell the device,
 * {@link #complete} for what the device reports. Positions count blocks of one or more descriptors; a slot is a
 * descriptor's place in the ring, and remembers the buffer that the descriptor names. One thread.
 */
final class DescriptorRing {
    /** In a slot whose descriptor names no buffer. */
    static final int NONE = BufferPool.NONE;

    /** Answer of {@link #complete} for a block that the device does not have, which stops the queue. */
    static final int BROKEN = -1;
    /** Answer of {@link #complete} for a block that was fetched before the ring was started anew. */
    static final int STALE = -2;
    private static final int LARGEST_RING = 1 << 14;
    private static final int LONGEST_BUFFER = 0xFFFF;

    private final String name;
    private final QueueRegisters registers;
    private final Doorbell doorbell;
    private final MemorySegment memory;
    private final PinnedMemory pin;
    private final long address;
    private final long iova;
    private final int number;
    private final int logEntries;
    private final int logBlock;
    private final int mask;
    private final int[] held;
    /** First block of this life of the ring. */
    private int first;
    /** How many blocks before it a former life may have left with the device. */
    private int former;
    /** First block not completed. */
    private int head;
    /** First block not pushed. */
    private int tail;
    /** First block that the device does not know of. */
    private int committed;
    private @Nullable DeviceException failure;

    /**
     * @param name for messages
     * @param logEntries log2 of the descriptor blocks
     * @param logBlock log2 of the descriptors in each
     */
    DescriptorRing(String name, QueueRegisters registers, RingMemory rings, int logEntries, int logBlock) {
        this.name = name;
        this.registers = registers;
        this.doorbell = registers.command();
        long start = rings.take(sizeBytes(logEntries, logBlock));
        this.memory = rings.segment().asSlice(start, sizeBytes(logEntries, logBlock));
        this.pin = rings.pinned();
        this.address = pin.address() + start;
        this.iova = rings.iova(start);
        this.number = registers.number();
        this.logEntries = logEntries;
        this.logBlock = logBlock;
        this.mask = (1 << logEntries) - 1;
        this.held = new int[1 << logEntries + logBlock];
        this.failure = stopped();
        Arrays.fill(held, NONE);
    }

    static long sizeBytes(int logEntries, int logBlock) {
        return (long) DESCRIPTOR_BYTES << logEntries + logBlock;
    }

    int entries() {
        return mask + 1;
    }

    /** Descriptors in a block. */
    int fragments() {
        return 1 << logBlock;
    }

    /** Throws what stopped the queue, if something did. */
    void requireHealthy() {
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Sets the queue up, empty and disabled. Positions go on where the last life of the queue ended, so that what the
     * device completes of that life is told from what it completes of this.
     */
    void start() {
        pin.requireOpen();
        failure = null;
        first = registers.producer();
        former = first == 0 && tail == 0 ? 0 : LARGEST_RING;
        head = first;
        tail = first;
        committed = first;
        registers.configure(iova, logEntries, logBlock, first);
        memory.fill((byte) 0);
    }

    void enable() {
        registers.enable();
    }

    /** Has the device fetch no more; what it has fetched is still to come. */
    void disable() {
        registers.disable();
    }

    boolean isHealthy() {
        return failure == null;
    }

    /** Whether the device, disabled, has completed all that it fetched, as far as completions were taken. */
    boolean isSettled() {
        skipCompleted();
        return failure != null || registers.hasFetchedOnlyBelow(head);
    }

    /** Takes all buffers back from a device that is out of them or gone. */
    void stop(IntConsumer owner) {
        for (int slot = 0; slot < held.length; slot++) {
            if (held[slot] != NONE) {
                owner.accept(take(slot));
            }
        }
        head = tail;
        committed = tail;
        failure = stopped();
    }

    /** Blocks pushed and not completed. */
    int inFlight() {
        return tail - head;
    }

    /** Blocks that can be pushed. */
    int room() {
        return entries() - (tail - head);
    }

    /** Blocks that can be pushed before the end of the ring. */
    int roomAhead() {
        return Math.min(room(), entries() - (tail & mask));
    }

    /** First slot of the block to be pushed next. */
    int tailSlot() {
        return (tail & mask) << logBlock;
    }

    /**
     * Writes a descriptor.
     *
     * @param slot below {@link #tailSlot} + {@link #roomAhead} blocks
     * @param word length, and what the device is to do
     * @param address where the device finds the buffer
     * @param buffer what the slot is to remember
     */
    void put(int slot, long word, long address, int buffer) {
        held[slot] = buffer; // also proves the slot
        long at = this.address + (long) slot * DESCRIPTOR_BYTES;
        RawMemory.store(at, word);
        RawMemory.store(at + DESCRIPTOR_ADDRESS, address);
    }

    /** The next {@code blocks} blocks are written. */
    void push(int blocks) {
        tail += blocks;
    }

    /** Pushes blocks of whole, empty buffers of a pool that has as many; {@code iova} is where the device finds the pool. */
    void push(BufferPool pool, long iova, int blocks) {
        long word = (long) Math.min(pool.bufferBytes(), LONGEST_BUFFER) << 8 * DESCRIPTOR_LENGTH;
        int rest = Math.min(blocks, room());
        while (rest > 0) {
            int first = tailSlot();
            int part = Math.min(rest, roomAhead());
            int end = first + (part << logBlock);
            pool.take(held, first, end - first);
            for (int slot = first; slot < end; slot++) {
                put(slot, word, iova + pool.offset(held[slot]), held[slot]);
            }
            tail += part;
            rest -= part;
        }
    }

    /** Announces to the device what was pushed; returns how many blocks, 0 if it rang no doorbell. */
    int commit() {
        int count = tail - committed;
        if (count != 0) {
            committed = tail;
            // release or posted order inside: the device reads descriptors after this command
            doorbell.ring(COMMAND_SET_PRODUCER & 0xFFFFFFFFL | tail & 0xFFFF);
        }
        return count;
    }

    /** First slot of the block that the device normally completes next. */
    int headSlot() {
        return (head & mask) << logBlock;
    }

    /** Blocks known to the device from the head to the end of the ring. */
    int committedAhead() {
        return Math.min(committed - head, entries() - (head & mask));
    }

    /** The first four bytes of the head's completion; those of the block behind it have 1 more in the upper two. */
    int expected() {
        return number | head << 16;
    }

    /** Buffer that a slot remembers. */
    int buffer(int slot) {
        return held[slot];
    }

    /** Takes a buffer from its slot. */
    int take(int slot) {
        int buffer = held[slot];
        held[slot] = NONE;
        return buffer;
    }

    /** The first {@code count} blocks are completed and their slots empty. */
    void pop(int count) {
        head += count;
    }

    /**
     * Takes the first {@code count} blocks as completed: blocks of one descriptor in {@link #committedAhead}, whose
     * buffers go back to one pool.
     */
    void pop(int count, BufferPool owner, int indexMask) {
        int first = headSlot();
        owner.give(held, first, count, indexMask);
        Arrays.fill(held, first, first + count, NONE);
        head += count;
    }

    /**
     * Takes a block as completed: the head, or any that the device has.
     *
     * @param completion its first eight bytes
     * @return its first slot, {@link #STALE} or {@link #BROKEN}
     */
    int complete(long completion) {
        if ((int) completion == expected() && head != committed && held[headSlot()] != NONE) {
            return (head++ & mask) << logBlock;
        }
        int queue = (int) completion & 0xFFFF;
        int at = (int) (completion >>> 8 * COMPLETION_INDEX) & 0xFFFF;
        skipCompleted();
        int slot = (at & mask) << logBlock;
        if (queue != number) {
            failure = broken("the device completed queue " + queue + ", which this ring does not belong to");
        } else if (isFormer(at)) {
            return STALE;
        } else if ((at - head & 0xFFFF) >= committed - head || held[slot] == NONE) {
            failure = broken("the device completed index %d, but holds ".formatted(at) + (committed == head
                    ? "no descriptor"
                    : "only %d to %d".formatted(head & 0xFFFF, committed - 1 & 0xFFFF)));
        }
        if (failure != null) {
            registers.disable();
            return BROKEN;
        }
        return slot;
    }

    /** Half of all indices later nothing of a former life can be under way, and they mean blocks of this one. */
    private boolean isFormer(int at) {
        return (first - at - 1 & 0xFFFF) < former && tail - first < 0x8000;
    }

    /** Goes past blocks at the head that were completed out of order, earlier. */
    void skipCompleted() {
        while (tail != head && held[headSlot()] == NONE) {
            head++;
        }
    }

    /** How many blocks were pushed from the one on that a completion names. */
    int distance(int index) {
        return tail - index & 0xFFFF;
    }

    private DeviceException stopped() {
        return new DeviceException("use a queue", name, "its port is stopped", "start the port first");
    }

    private DeviceException broken(String problem) {
        return new DeviceException("read completions", name, problem,
                "the queue has stopped and its buffers are untouched; stop and start the port, or reset the device");
    }
}
