package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicFormats.*;
import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Registers;
import dev.bascule.ring.Doorbell;

/** Registers of a TX or RX queue. */
final class QueueRegisters {
    /** Most polls of a queue that is being stopped; each is a register read of about a microsecond. */
    private static final int LOOKS = 10_000;

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

    /** Which queue of its kind. */
    int number() {
        return number;
    }

    /** The command register, for the data path. */
    Doorbell command() {
        return DoorbellRegister.at(backing, at + WORK_QUEUE_COMMAND);
    }

    /** Sets the queue up, empty and disabled, with a ring at {@code iova}; sizes are log2. */
    void configure(long iova, int logEntries, int logBlock) {
        disable();
        bar.write32(at + WORK_QUEUE_BASE_LOW, (int) iova);
        bar.write32(at + WORK_QUEUE_BASE_HIGH, (int) (iova >>> 32));
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_SIZE | logBlock << 8 | logEntries);
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_TARGET | completionQueue);
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_PRODUCER);
        bar.write32(at + WORK_QUEUE_COMMAND, COMMAND_SET_CONSUMER);
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

    /** Waits until no fetch is under way, for a bounded time; in vain if the device is gone. */
    void awaitIdle() {
        for (int look = 0; look < LOOKS; look++) {
            int status = bar.read32(at + WORK_QUEUE_STATUS);
            if (status == -1 || (status & WORK_QUEUE_STATUS_ACTIVE) == 0) {
                return;
            }
            Thread.onSpinWait();
        }
    }
}
