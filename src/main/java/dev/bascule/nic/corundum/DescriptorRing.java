package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicFormats.*;
import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Registers;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.MemorySegment;

/** Registers and descriptor ring of a TX or RX queue, without what the two do differently. */
final class DescriptorRing {
    /** Looks at a queue that is to come to rest; each is a register read of about a microsecond. */
    private static final int LOOKS = 10_000;

    final MemorySegment memory;
    final long start;
    private final PinnedMemory pin;
    private final long address;
    final int number;
    final int mask;
    final int logBlock;
    final Doorbell command;
    private final int logEntries;
    private final long iova;
    private final Registers bar;
    private final long registers;
    private final int completionQueue;

    /**
     * @param logEntries log2 of the descriptor blocks
     * @param logBlock log2 of the descriptors in each
     */
    DescriptorRing(DeviceBacking backing, RingMemory rings, QueueRange queues, int number, int logEntries, int logBlock,
            int completionQueue) {
        this.memory = rings.segment();
        this.start = rings.take(sizeBytes(logEntries, logBlock));
        this.pin = rings.pinned();
        this.address = pin.address() + start;
        this.iova = rings.iova(start);
        this.number = number;
        this.logEntries = logEntries;
        this.logBlock = logBlock;
        this.mask = (1 << logEntries) - 1;
        this.bar = backing.registers(0);
        this.registers = queues.at(number);
        this.command = DoorbellRegister.at(backing, registers + WORK_QUEUE_COMMAND);
        this.completionQueue = completionQueue;
    }

    static long sizeBytes(int logEntries, int logBlock) {
        return (long) DESCRIPTOR_BYTES << logEntries + logBlock;
    }

    int entries() {
        return mask + 1;
    }

    /** Address of the first descriptor. Valid while this object is reachable. */
    long address() {
        return address;
    }

    /** Blocks from that of {@code index} to where the ring begins anew. */
    int straight(int index) {
        return mask + 1 - (index & mask);
    }

    /** Offset of a block of descriptors in {@link #memory}. */
    long descriptor(int index) {
        return start + ((long) (index & mask) * DESCRIPTOR_BYTES << logBlock);
    }

    /** Sets the queue up, empty and disabled. */
    void configure() {
        pin.requireOpen();
        disable();
        memory.asSlice(start, sizeBytes(logEntries, logBlock)).fill((byte) 0);
        bar.write32(registers + WORK_QUEUE_BASE_LOW, (int) iova);
        bar.write32(registers + WORK_QUEUE_BASE_HIGH, (int) (iova >>> 32));
        bar.write32(registers + WORK_QUEUE_COMMAND, COMMAND_SET_SIZE | logBlock << 8 | logEntries);
        bar.write32(registers + WORK_QUEUE_COMMAND, COMMAND_SET_TARGET | completionQueue);
        bar.write32(registers + WORK_QUEUE_COMMAND, COMMAND_SET_PRODUCER);
        bar.write32(registers + WORK_QUEUE_COMMAND, COMMAND_SET_CONSUMER);
    }

    /** Log2 of the largest descriptor block the design can do. */
    int probeLogBlock() {
        bar.write32(registers + WORK_QUEUE_COMMAND, COMMAND_SET_ENABLE);
        bar.write32(registers + WORK_QUEUE_COMMAND, COMMAND_SET_SIZE | 0xFF00);
        int found = bar.read32(registers + WORK_QUEUE_CONFIG) >>> 28;
        bar.write32(registers + WORK_QUEUE_COMMAND, COMMAND_SET_SIZE);
        return Math.min(found, MAX_LOG_DESCRIPTOR_BLOCK);
    }

    void enable() {
        bar.write32(registers + WORK_QUEUE_COMMAND, COMMAND_SET_ENABLE | 1);
    }

    void disable() {
        bar.write32(registers + WORK_QUEUE_COMMAND, COMMAND_SET_ENABLE);
    }

    /** The consumer pointer: descriptor blocks the device has fetched. */
    int consumer() {
        return bar.read32(registers + WORK_QUEUE_POINTERS) >>> 16;
    }

    /** Waits until no fetch is under way; false if that does not end, or the device is gone. */
    boolean awaitIdle() {
        for (int look = 0; look < LOOKS; look++) {
            int status = bar.read32(registers + WORK_QUEUE_STATUS);
            if (status == -1) {
                return false;
            }
            if ((status & WORK_QUEUE_STATUS_ACTIVE) == 0) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Tells the device how far descriptors are filled. */
    void publish(int producer) {
        // release or posted order inside: the device reads descriptors after this command
        command.ring(COMMAND_SET_PRODUCER & 0xFFFFFFFFL | producer & 0xFFFF);
    }
}
