package dev.bascule.nic.lesson;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.QueueCounters;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A ring of descriptors and the packet buffers that it names. A descriptor is the card's until its last byte, the phase, is
 * that of the card's lap.
 * <p>
 * Thread rule: one thread, that of its queue.
 */
final class LessonRing {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final int PHASE_SHIFT = 56;
    private static final long ERROR = 1L << 32;
    private static final int TAIL = 0x0c;
    private static final int ARM = 0x14;

    final QueueCounters counters = new QueueCounters();
    final PacketPool pool;
    final int entries;
    private final String name;
    private final AddressSpace space;
    private final Registers registers;
    private final int block;
    private final DmaBuffer memory;
    private final long ringIova;
    private final long poolIova;
    private final int[] buffers;
    private int tail;
    private int told;
    int head;

    /** @param block offset of the ring's registers */
    LessonRing(String name, AddressSpace space, Registers registers, int block, int entries, int buffersOf) {
        this.name = name;
        this.space = space;
        this.registers = registers;
        this.block = block;
        this.entries = entries;
        buffers = new int[entries];
        memory = space.allocate(name, 16L * entries);
        ringIova = space.map(new MappableMemory(memory.segment(), memory.fileDescriptor(), 0), DmaDirection.BOTH)
                .value();
        pool = PacketPool.allocate(space, name + " packets", buffersOf, LessonNic.BUFFER_BYTES);
        poolIova = pool.map(space).value();
    }

    void start() {
        head = tail = told = 0;
        memory.segment().fill((byte) 0);
        registers.write32(block, (int) ringIova);
        registers.write32(block + 4, (int) (ringIova >>> 32));
        registers.write32(block + 8, Integer.numberOfTrailingZeros(entries));
    }

    int given() {
        return tail - head;
    }

    /** Gives the card a buffer; there is room. The phase is the opposite of what the card will write. */
    void give(int buffer, long offset, int lengthBytes) {
        int slot = tail & entries - 1;
        buffers[slot] = buffer;
        memory.segment().set(ValueLayout.JAVA_LONG, 16L * slot, poolIova + offset);
        WORD.set(memory.segment(), 16L * slot + 8, lengthBytes | (cardsPhase(tail) ^ 1) << PHASE_SHIFT);
        tail++;
    }

    /** Tells the card about all that was given: one fence, one doorbell. */
    int tell() {
        int more = tail - told;
        if (more > 0) {
            VarHandle.releaseFence(); // partner: the card's read of a descriptor after that of the tail
            registers.write32(block + TAIL, tail & 0xFFFF);
            counters.add(QueueCounters.DOORBELLS, 1);
            told = tail;
        }
        return more;
    }

    /** One interrupt as soon as the card has done more than was taken. */
    void arm() {
        registers.write32(block + ARM, head & 0xFFFF);
    }

    boolean isDone() {
        // acquire: partner is the card's write of the completion after that of the data
        return told != head && (long) WORD.getAcquire(memory.segment(), at()) >>> PHASE_SHIFT == cardsPhase(head);
    }

    private long at() {
        return 16L * (head & entries - 1) + 8;
    }

    private long cardsPhase(int index) {
        return (index & entries) == 0 ? 1 : 0;
    }

    /** Length of the frame in the oldest descriptor, which is done; 0 for one that the card could not move. */
    int lengthBytes() {
        long word = (long) WORD.get(memory.segment(), at());
        int lengthBytes = (int) word;
        if (lengthBytes < 0 || lengthBytes > LessonNic.BUFFER_BYTES) {
            throw new DeviceException("look at a completion", name, "the card moved " + lengthBytes
                    + " bytes by descriptor " + head + ", which names fewer", "stop and start the card");
        }
        return (word & ERROR) == 0 ? lengthBytes : 0;
    }

    /** The buffer of the oldest descriptor, which is the caller's from now on. */
    int take() {
        return buffers[head++ & entries - 1];
    }

    /** Takes back what the card holds; it has stopped. */
    void stop() {
        while (given() > 0) {
            pool.buffers().give(take());
        }
        told = tail;
    }

    void close() {
        pool.unmap(space);
        pool.close();
        space.unmap(new Iova(ringIova));
        memory.close();
    }
}
