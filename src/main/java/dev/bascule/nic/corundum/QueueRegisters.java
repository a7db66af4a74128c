package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicFormats.*;
import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Registers;
import dev.bascule.ring.Doorbell;

/** Registers of a TX or RX queue. */
final class QueueRegisters {
    private final DeviceBacking backing;
    private final Registers bar;
    private final long at;
    private final int number;
    private final int completionQueue;

    /** @param completionQueue where the device reports what it has done */
    QueueRegisters(DeviceBacking backing, QueueRange queues, int number, int completionQueue) {
        this.backing = backing;
        this.bar = backing.registers(0);
        this.at = queues.at(number);
        this.number = number;
        this.completionQueue = completionQueue;
    }

    /** Number of the queue among those of its kind. */
    int number() {
        return number;
    }

    /** The command register, for the data path. */
    Doorbell command() {
        return DoorbellRegister.at(backing, at + WORK_QUEUE_COMMAND);
    }

    /** The producer pointer, as whoever had the queue before left it; no reset changes it. */
    int producer() {
        return bar.read32(at + WORK_QUEUE_POINTERS) & 0xFFFF;
    }

    /** Sets the queue up, empty and disabled, with a ring at {@code iova}; sizes are log2. */
    void configure(long iova, int logEntries, int logBlock, int first) {
        disable();
        bar.write32(at + WORK_QUEUE_BASE_LOW, (int) iova);
        bar.write32(at + WORK_QUEUE_BASE_HIGH, (int) (iova >>> 32));
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_SIZE | logBlock << 8 | logEntries);
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_TARGET | completionQueue);
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_PRODUCER | first);
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_CONSUMER | first);
    }

    /** Log2 of the largest descriptor block the design can do. */
    int probeLogBlock() {
        disable();
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_SIZE | 0xFF00);
        int found = bar.read32(at + WORK_QUEUE_CONFIG) >>> 28;
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_SIZE);
        return Math.min(found, MAX_LOG_DESCRIPTOR_BLOCK);
    }

    void enable() {
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_ENABLE | 1);
    }

    void disable() {
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_ENABLE);
    }

    /** Whether the device fetches no more, and has fetched nothing from block {@code head} on; true if it is gone. */
    boolean hasFetchedOnlyBelow(int head) {
        int status = bar.read32(at + WORK_QUEUE_STATUS);
        if (status == -1) {
            return true;
        }
        return (status & WORK_QUEUE_STATUS_ACTIVE) == 0
                && bar.read32(at + WORK_QUEUE_POINTERS) >>> 16 == (head & 0xFFFF);
    }
}
