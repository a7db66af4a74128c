package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.nic.corundum.MqnicFormats;
import java.lang.foreign.MemorySegment;

/** The registers of all completion or all event queues of an interface, and putting records in. */
final class CompletionQueueManager implements RegisterWindow {
    /** Called when an armed queue received a record: an event for its EQ, or an interrupt. */
    interface FireListener {
        void fired(int queue, int target);
    }

    private final CompletionQueue[] queues;
    private final boolean events;
    private final Dma dma;
    private final int baseHighMask;
    private final int targetMask;
    private final FireListener listener;
    private long dropped;

    CompletionQueueManager(boolean events, int count, int targets, int baseHighMask, Dma dma, FireListener listener) {
        queues = new CompletionQueue[count];
        for (int i = 0; i < count; i++) {
            queues[i] = new CompletionQueue(i);
        }
        this.events = events;
        this.dma = dma;
        this.baseHighMask = baseHighMask;
        targetMask = targets - 1;
        this.listener = listener;
    }

    /** Records lost because their queue was full or disabled. */
    long dropped() {
        return dropped;
    }

    /** Appends a record and sets its phase tag; a full or disabled queue loses it for good [RTL]. */
    void enqueue(int number, byte[] record, MemorySegment segment) {
        CompletionQueue queue = queues[number];
        if (!queue.enabled || queue.isFull()) {
            dropped++;
            return;
        }
        record[MqnicFormats.COMPLETION_PHASE] = (byte) (queue.phase() ? MqnicFormats.COMPLETION_PHASE_BIT : 0);
        dma.writeRecord(events, number, queue.producerAddress(), record, segment);
        queue.producer = queue.producer + 1 & 0xFFFF;
        if (queue.armed) {
            fire(queue);
        }
    }

    private void fire(CompletionQueue queue) {
        queue.armed = false;
        listener.fired(queue.number, queue.target);
    }

    /** Upper bits of the offset are not decoded: behind the last queue the first one shows again [RTL]. */
    private CompletionQueue at(int offset) {
        return queues[offset / COMPLETION_QUEUE_STRIDE & queues.length - 1];
    }

    @Override
    public int read(int offset) {
        CompletionQueue queue = at(offset);
        return switch (offset % COMPLETION_QUEUE_STRIDE) {
            case COMPLETION_QUEUE_BASE_LOW -> queue.baseLow;
            case COMPLETION_QUEUE_BASE_HIGH -> queue.baseHigh;
            case COMPLETION_QUEUE_STATUS -> queue.target | (queue.enabled ? COMPLETION_QUEUE_STATUS_ENABLE : 0)
                    | (queue.armed ? COMPLETION_QUEUE_STATUS_ARMED : 0) | queue.logSize << 28;
            default -> queue.producer | queue.consumer << 16;
        };
    }

    @Override
    public void write(int offset, int value, int lanes) {
        CompletionQueue queue = at(offset);
        switch (offset % COMPLETION_QUEUE_STRIDE) {
            case COMPLETION_QUEUE_BASE_LOW -> {
                if (!queue.enabled) {
                    // byte lane k drives byte k + 1 of this one register [RTL]; a full write is not affected
                    queue.baseLow = RegisterWindow.merge(queue.baseLow, value & 0xFFFFF000, lanes << 1 & ALL_LANES);
                }
            }
            case COMPLETION_QUEUE_BASE_HIGH -> {
                if (!queue.enabled) {
                    queue.baseHigh = RegisterWindow.merge(queue.baseHigh, value, lanes) & baseHighMask;
                }
            }
            default -> command(queue, value);
        }
    }

    private void command(CompletionQueue queue, int value) {
        if ((value & 0xFF000000) == COMMAND_SET_TARGET) {
            if (!queue.enabled) {
                queue.target = value & 0xFFFFFF & targetMask;
            }
        } else if ((value & 0xFFFFFF00) == COMMAND_SET_ENABLE) {
            queue.enabled = (value & 1) != 0;
        } else if ((value & 0xFFFFFF00) == COMMAND_SET_ARM) {
            arm(queue, (value & 1) != 0);
        } else {
            pointerCommand(queue, value & 0xFFFF0000, value & 0xFFFF);
        }
    }

    private void pointerCommand(CompletionQueue queue, int command, int argument) {
        switch (command) {
            case COMMAND_SET_CONSUMER -> queue.consumer = argument;
            case COMMAND_SET_CONSUMER_AND_ARM -> {
                queue.consumer = argument;
                arm(queue, true);
            }
            case COMMAND_SET_PRODUCER -> {
                if (!queue.enabled) {
                    queue.producer = argument;
                }
            }
            case COMMAND_SET_SIZE -> {
                if (!queue.enabled) {
                    queue.logSize = argument & 0xF;
                }
            }
            default -> {
            }
        }
    }

    /** Arming fires at once, and leaves the queue un-armed, when records wait in an enabled queue [RTL]. */
    private void arm(CompletionQueue queue, boolean value) {
        queue.armed = value;
        if (value && queue.enabled && !queue.isEmpty()) {
            dma.cause.current = 0;
            fire(queue);
        }
    }

    /** The queues' state is in RAM, which has a content at power-on and no reset: it stays, armed queues too [RTL]. */
    @Override
    public void reset() {
        dropped = 0;
    }
}
