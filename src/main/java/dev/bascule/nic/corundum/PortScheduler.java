package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.Registers;

/** The transmit scheduler of a port; the two designs differ in nothing else that a driver sees. */
sealed interface PortScheduler {
    /** Lets the given TX queues send to a port, and the scheduler run. */
    void start(int firstQueue, int queues, int port);

    /** Stops these queues and the scheduler. */
    void stop(int firstQueue, int queues);

    /** Chooses by the block's version. */
    static PortScheduler of(Registers bar, InterfaceMap map, int number) {
        RegisterBlock block = map.schedulers().get(number);
        String name = "interface " + map.number() + " scheduler " + number;
        QueueRange words = QueueRange.read(bar, name, "scheduler queues", block, map.base(), 4);
        if (words.count() < map.txQueues().count()) {
            throw RegisterBlocks.refuse(name, words.count() + " words for " + map.txQueues().count() + " TX queues");
        }
        return block.version() == VERSION_SCHEDULER_MAY_2024
                ? new May2024(bar, map, block.offset(), words)
                : new December2023(bar, block.offset(), words);
    }

    /** Scheduler 0x200: a channel with budgets between scheduler and port. */
    record May2024(Registers bar, InterfaceMap map, long block, QueueRange words) implements PortScheduler {
        @Override
        public void start(int firstQueue, int queues, int port) {
            int frameCredits = credits(bar.read32(map.control() + INTERFACE_MAX_TX_MTU));
            int fifoCredits = credits(bar.read32(map.control() + INTERFACE_TX_FIFO_BYTES));
            for (int i = 0; i < queues; i++) {
                bar.write32(words.at(firstQueue + i), SCHEDULER_COMMAND_QUEUE_PAUSE);
                bar.write32(words.at(firstQueue + i), SCHEDULER_COMMAND_QUEUE_ENABLE | 1);
            }
            bar.write16(block + SCHEDULER_CHANNEL_DESTINATION, port << 4);
            bar.write16(block + SCHEDULER_CHANNEL_DATA_BUDGET, frameCredits);
            bar.write32(block + SCHEDULER_CHANNEL_DATA_LIMIT, Math.max(frameCredits, fifoCredits));
            bar.write32(block + SCHEDULER_CHANNEL_CONTROL, CHANNEL_ENABLE);
            bar.write32(block + SCHEDULER_CONTROL, SCHEDULER_ENABLE);
        }

        private static int credits(int lengthBytes) {
            return (lengthBytes + CREDIT_BYTES - 1) / CREDIT_BYTES;
        }

        @Override
        public void stop(int firstQueue, int queues) {
            bar.write32(block + SCHEDULER_CONTROL, 0);
            bar.write32(block + SCHEDULER_CHANNEL_CONTROL, 0);
            for (int i = 0; i < queues; i++) {
                bar.write32(words.at(firstQueue + i), SCHEDULER_COMMAND_QUEUE_ENABLE);
            }
        }
    }

    /** Scheduler 0x100: a word of flags per queue. */
    record December2023(Registers bar, long block, QueueRange words) implements PortScheduler {
        @Override
        public void start(int firstQueue, int queues, int port) {
            for (int i = 0; i < queues; i++) {
                bar.write32(words.at(firstQueue + i), SCHEDULER_2023_QUEUE_ENABLE | SCHEDULER_2023_QUEUE_GLOBAL_ENABLE);
            }
            bar.write32(block + SCHEDULER_2023_DESTINATION, port << 4);
            bar.write32(block + SCHEDULER_CONTROL, SCHEDULER_ENABLE);
        }

        @Override
        public void stop(int firstQueue, int queues) {
            bar.write32(block + SCHEDULER_CONTROL, 0);
            for (int i = 0; i < queues; i++) {
                bar.write32(words.at(firstQueue + i), 0);
            }
        }
    }
}
