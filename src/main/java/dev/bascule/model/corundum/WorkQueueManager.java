package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.nic.corundum.MqnicFormats;

/** The registers of all transmit or all receive queues of an interface. */
final class WorkQueueManager implements RegisterWindow {
    private static final int BASE_LOW_MASK = 0xFFFFF000;

    /** Called when a driver moves the producer of an enabled queue. */
    interface DoorbellListener {
        void rung(int queue);
    }

    private final WorkQueue[] queues;
    private final int baseHighMask;
    private final int targetMask;
    private final DoorbellListener listener;

    /** @param completionQueues how many there are; numbers are stored in as many bits as that takes */
    WorkQueueManager(int count, int completionQueues, int baseHighMask, DoorbellListener listener) {
        queues = new WorkQueue[count];
        for (int i = 0; i < count; i++) {
            queues[i] = new WorkQueue(i);
        }
        this.baseHighMask = baseHighMask;
        targetMask = completionQueues - 1;
        this.listener = listener;
    }

    int count() {
        return queues.length;
    }

    WorkQueue queue(int number) {
        return queues[number];
    }

    /** Upper bits of the offset are not decoded: behind the last queue the first one shows again [RTL]. */
    private WorkQueue at(int offset) {
        return queues[offset / WORK_QUEUE_STRIDE & queues.length - 1];
    }

    @Override
    public int read(int offset) {
        WorkQueue queue = at(offset);
        return switch (offset % WORK_QUEUE_STRIDE) {
            case WORK_QUEUE_BASE_LOW -> queue.baseLow;
            case WORK_QUEUE_BASE_HIGH -> queue.baseHigh;
            case WORK_QUEUE_STATUS -> (queue.enabled ? WORK_QUEUE_STATUS_ENABLE : 0)
                    | (queue.fetching != 0 ? WORK_QUEUE_STATUS_ACTIVE : 0);
            case WORK_QUEUE_CONFIG -> queue.completionQueue | queue.logSize << 24 | queue.logBlock << 28;
            case WORK_QUEUE_POINTERS -> queue.producer | queue.consumer << 16;
            default -> 0;
        };
    }

    @Override
    public void write(int offset, int value, int lanes) {
        WorkQueue queue = at(offset);
        switch (offset % WORK_QUEUE_STRIDE) {
            case WORK_QUEUE_BASE_LOW -> {
                if (!queue.enabled) {
                    queue.baseLow = RegisterWindow.merge(queue.baseLow, value, lanes) & BASE_LOW_MASK;
                }
            }
            case WORK_QUEUE_BASE_HIGH -> {
                if (!queue.enabled) {
                    queue.baseHigh = RegisterWindow.merge(queue.baseHigh, value, lanes) & baseHighMask;
                }
            }
            // all three take commands, whatever the byte lanes [RTL]
            case WORK_QUEUE_STATUS, WORK_QUEUE_CONFIG, WORK_QUEUE_POINTERS -> command(queue, value);
            default -> {
            }
        }
    }

    private void command(WorkQueue queue, int value) {
        if ((value & 0xFF000000) == COMMAND_SET_TARGET) {
            if (!queue.enabled) {
                queue.completionQueue = value & 0xFFFFFF & targetMask;
            }
        } else if ((value & 0xFFFFFF00) == COMMAND_SET_ENABLE) {
            // no doorbell: what the producer did while disabled waits for its next write [RTL]
            queue.enabled = (value & 1) != 0;
        } else {
            pointerCommand(queue, value & 0xFFFF0000, value & 0xFFFF);
        }
    }

    private void pointerCommand(WorkQueue queue, int command, int argument) {
        switch (command) {
            case COMMAND_SET_PRODUCER -> {
                queue.producer = argument;
                if (queue.enabled) {
                    listener.rung(queue.number);
                }
            }
            case COMMAND_SET_CONSUMER -> {
                if (!queue.enabled) {
                    queue.consumer = argument;
                }
            }
            case COMMAND_SET_SIZE -> {
                if (!queue.enabled) {
                    queue.logSize = argument & 0xF;
                    queue.logBlock = argument >> 8 & MqnicFormats.MAX_LOG_DESCRIPTOR_BLOCK;
                }
            }
            default -> {
            } // the VF number is not stored, anything else is no command
        }
    }

    /** The queues' state is in RAM, which has a content at power-on and no reset: it stays [RTL]. */
    @Override
    public void reset() {
        for (WorkQueue queue : queues) {
            queue.dropped = 0;
            queue.fetching = 0;
        }
    }
}
