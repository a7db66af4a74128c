package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import java.util.Arrays;

/** The scheduler of December 2023: on or off, one destination, queue words with three enable bits, no limits. */
final class PlainScheduler extends Scheduler {
    private static final int DESTINATION_MASK = 0xFF;
    private static final int STORED = SCHEDULER_2023_QUEUE_ENABLE | SCHEDULER_2023_QUEUE_GLOBAL_ENABLE
            | SCHEDULER_2023_QUEUE_CONTROL_ENABLE;
    /** Without TDMA nothing drives the control input, so only these two let a queue send. */
    private static final int SENDS = SCHEDULER_2023_QUEUE_ENABLE | SCHEDULER_2023_QUEUE_GLOBAL_ENABLE;

    private final int queuesOffset;
    private final int resetDestination;
    private final int[] word;
    private boolean on;
    private int destination;
    private final Block block = new Block();
    private final Words words = new Words();

    PlainScheduler(CorundumConfig config, int queuesOffset, int index) {
        super(config.txQueues());
        this.queuesOffset = queuesOffset;
        resetDestination = index % config.ports() << 4;
        word = new int[config.txQueues()];
        reset();
    }

    @Override
    RegisterBlock block() {
        return block;
    }

    @Override
    RegisterWindow queueWords() {
        return words;
    }

    @Override
    boolean takesPart(int queue) {
        return (word[queue] & SENDS) == SENDS;
    }

    @Override
    boolean isOn() {
        return on;
    }

    @Override
    boolean mayStart() {
        return on;
    }

    @Override
    int destination() {
        return destination;
    }

    @Override
    void reset() {
        super.reset();
        Arrays.fill(word, 0);
        on = false;
        destination = resetDestination;
    }

    private final class Block extends RegisterBlock {
        Block() {
            super(TYPE_SCHEDULER, VERSION_SCHEDULER_DECEMBER_2023, 0x20);
        }

        @Override
        int readField(int offset) {
            return switch (offset) {
                case SCHEDULER_QUEUES_OFFSET -> queuesOffset;
                case SCHEDULER_QUEUES_COUNT -> word.length;
                case SCHEDULER_QUEUES_STRIDE -> 4;
                case SCHEDULER_CONTROL -> on ? SCHEDULER_ENABLE : 0;
                case SCHEDULER_2023_DESTINATION -> destination;
                default -> 0;
            };
        }

        @Override
        void writeField(int offset, int value, int lanes) {
            if (offset == SCHEDULER_CONTROL) {
                on = (value & SCHEDULER_ENABLE) != 0;
            } else if (offset == SCHEDULER_2023_DESTINATION) {
                destination = value & DESTINATION_MASK;
            }
        }
    }

    private final class Words implements RegisterWindow {
        @Override
        public int read(int offset) {
            int queue = offset >> 2 & word.length - 1;
            return word[queue] | (isActive(queue) ? SCHEDULER_2023_QUEUE_ACTIVE : 0)
                    | (isScheduled(queue) ? SCHEDULER_2023_QUEUE_SCHEDULED : 0);
        }

        @Override
        public void write(int offset, int value, int lanes) {
            int queue = offset >> 2 & word.length - 1;
            word[queue] = RegisterWindow.merge(word[queue], value, lanes) & STORED;
            join(queue);
        }

        @Override
        public void reset() {
            PlainScheduler.this.reset();
        }
    }
}
