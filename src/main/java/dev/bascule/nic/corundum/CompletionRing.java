package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicFormats.*;
import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Registers;
import dev.bascule.ffi.RawMemory;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.nic.RingMemory;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A completion or event queue: records of 32 bytes, each with a phase tag that says whether it belongs to this pass. The
 * device never overwrites what was not acknowledged; what does not fit is lost, so rings are twice as large as what can
 * be on its way, and are acknowledged by quarters.
 * <p>
 * Thread rule: the thread of its queue, beside the device.
 */
final class CompletionRing {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final int PHASE_WORD = 24;
    private static final int SHIFT = 5;
    private static final long NAP_NANOS = 20_000;

    private final MemorySegment memory;
    private final PinnedMemory pin;
    private final long address;
    private final long start;
    private final int logEntries;
    private final int mask;
    private final int lazy;
    private final long iova;
    private final DeviceBacking backing;
    private final Registers bar;
    private final long registers;
    private final Doorbell command;
    private final int target;
    private int next;
    private int acknowledged;

    /**
     * @param rings where it lies
     * @param queues the registers of its kind
     * @param number which queue
     * @param target event queue of a completion queue, interrupt of an event queue
     */
    CompletionRing(DeviceBacking backing, RingMemory rings, QueueRange queues, int number, int logEntries, int target) {
        this.memory = rings.segment();
        this.logEntries = logEntries;
        this.mask = (1 << logEntries) - 1;
        this.lazy = 1 << logEntries - 2;
        this.start = rings.take(sizeBytes(logEntries));
        this.pin = rings.pinned();
        this.address = pin.address() + start;
        this.iova = rings.iova(start);
        this.backing = backing;
        this.bar = backing.registers(0);
        this.registers = queues.at(number);
        this.command = DoorbellRegister.at(backing, registers + COMPLETION_QUEUE_COMMAND);
        this.target = target;
    }

    static long sizeBytes(int logEntries) {
        return (long) COMPLETION_BYTES << logEntries;
    }

    /** Sets the queue up, empty, and enables it. */
    void start() {
        pin.requireOpen();
        disable();
        memory.asSlice(start, sizeBytes(logEntries)).fill((byte) 0);
        next = 0;
        acknowledged = 0;
        bar.write32(registers + COMPLETION_QUEUE_BASE_LOW, (int) iova);
        bar.write32(registers + COMPLETION_QUEUE_BASE_HIGH, (int) (iova >>> 32));
        bar.write32(registers + COMPLETION_QUEUE_COMMAND, COMMAND_SET_SIZE | logEntries);
        bar.write32(registers + COMPLETION_QUEUE_COMMAND, COMMAND_SET_TARGET | target);
        bar.write32(registers + COMPLETION_QUEUE_COMMAND, COMMAND_SET_PRODUCER);
        bar.write32(registers + COMPLETION_QUEUE_COMMAND, COMMAND_SET_CONSUMER);
        bar.write32(registers + COMPLETION_QUEUE_COMMAND, COMMAND_SET_ENABLE | 1);
    }

    void disable() {
        bar.write32(registers + COMPLETION_QUEUE_COMMAND, COMMAND_SET_ENABLE);
    }

    /** Whether the device has written the next record; checked memory, for waits that a close may end. */
    boolean isReady() {
        long at = start + ((long) (next & mask) << SHIFT);
        // acquire: partner is the device's write of the record, whose tag is in its last byte
        long word = (long) LONG.getAcquire(memory, at + PHASE_WORD);
        return (word >>> 63) + (next >>> logEntries & 1) == 1;
    }

    /** Whether the record {@code ahead} of the next is written. */
    boolean isReady(int ahead) {
        return ready(next + ahead, 1) == 1;
    }

    /** How many records the device has written, up to {@code most}, looked at without taking them. */
    int ready(int most) {
        int contiguous = Math.min(most, mask + 1 - (next & mask)); // to where the ring begins anew
        int found = ready(next, contiguous);
        return found < contiguous ? found : found + ready(next + found, most - found);
    }

    /** Number of written records from {@code first} on, up to {@code most}, which must lie behind one another. */
    private int ready(int first, int most) {
        long tag = address + ((long) (first & mask) << SHIFT) + PHASE_WORD; // in bounds by the mask
        long pass = (long) (first >>> logEntries & 1) << 63;
        int n = 0;
        // acquire: partner is the device's write of the record, whose tag is in its last byte
        while (n < most && (RawMemory.loadAcquire(tag + ((long) n << SHIFT)) ^ pass) < 0) {
            n++;
        }
        return n;
    }

    /** Eight bytes of ready record {@code i}, from {@code offset} in it. */
    long word(int i, int offset) {
        return RawMemory.load(address + ((long) (next + i & mask) << SHIFT) + offset); // in bounds by the mask
    }

    /** Moves on by {@code count} records. */
    void advance(int count) {
        next += count;
    }

    /** Tells the device what was taken, if it is worth it; returns how many doorbells it rang. */
    int acknowledgeSome() {
        if (next - acknowledged < lazy) {
            return 0;
        }
        acknowledged = next;
        command.ring(COMMAND_SET_CONSUMER | next & 0xFFFF);
        return 1;
    }

    /** Tells the device what was taken, and has it report the next record; at once if one came meanwhile. */
    void acknowledgeAndArm() {
        acknowledged = next;
        command.ring(COMMAND_SET_CONSUMER_AND_ARM | next & 0xFFFF);
    }

    /** Sleeps until a record is there or the device's time is over, by interrupt or in naps; says whether one is. */
    boolean await(@Nullable EventSource events, long timeoutNanos) {
        long end = backing.nanoTime() + timeoutNanos;
        if (events != null && !isReady()) {
            events.drain();
            acknowledgeAndArm();
        }
        long left = timeoutNanos;
        while (!isReady() && left > 0) {
            if (events == null) {
                LockSupport.parkNanos(this, Math.min(NAP_NANOS, left));
            } else {
                events.interrupt().await(left);
                events.drain();
            }
            left = end - backing.nanoTime();
        }
        return isReady();
    }
}
