package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import java.util.Arrays;

/** The scheduler of May 2024: one channel with budgets and limits, queue words with commands. */
final class ChannelScheduler extends Scheduler {
    private static final int INFO = 0x00060101; // one traffic class, one port, log2 of credit bytes 6
    private static final int PACKET_BUDGET = 1 << 16;
    private static final int PACKET_LIMIT_MASK = 0xFF;
    private static final int DATA_BUDGET_MASK = 0x3FF;
    private static final int DATA_LIMIT_MASK = 0x3FFFF;
    private static final int LOW_HALF = 0x3;
    private static final int HIGH_HALF = 0xC;

    private final CorundumConfig config;
    private final int queuesOffset;
    private final int resetDestination;
    private final boolean[] enabled;
    private final boolean[] paused;
    private boolean on;
    private boolean channelOn;
    private int destination;
    private int dataBudget;
    private int packetLimit;
    private int dataLimit;
    private int packetsInFlight;
    private long creditsInFlight;
    private final Block block = new Block();
    private final Words words = new Words();

    ChannelScheduler(CorundumConfig config, int queuesOffset, int index) {
        super(config.txQueues());
        this.config = config;
        this.queuesOffset = queuesOffset;
        resetDestination = index % config.ports() << 4;
        enabled = new boolean[config.txQueues()];
        paused = new boolean[config.txQueues()];
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
        return enabled[queue] && !paused[queue];
    }

    @Override
    boolean isOn() {
        return on;
    }

    @Override
    boolean mayStart() {
        return on && hasCredit();
    }

    private boolean hasCredit() {
        return channelOn && packetsInFlight < packetLimit && dataLimit - creditsInFlight >= dataBudget;
    }

    @Override
    int destination() {
        return destination;
    }

    @Override
    void started(int credits) {
        packetsInFlight++;
        creditsInFlight += credits;
    }

    @Override
    void finished(int credits) {
        packetsInFlight--;
        creditsInFlight -= credits;
    }

    @Override
    void reset() {
        super.reset();
        Arrays.fill(enabled, false);
        Arrays.fill(paused, false);
        on = false;
        channelOn = false;
        destination = resetDestination;
        dataBudget = config.maxTxCredits();
        packetLimit = PACKET_LIMIT_MASK;
        dataLimit = config.maxTxCredits();
        packetsInFlight = 0;
        creditsInFlight = 0;
    }

    private int channelStatus() {
        return (channelOn ? CHANNEL_ENABLE : 0) | (packetsInFlight > 0 ? CHANNEL_ACTIVE : 0)
                | (hasCredit() ? CHANNEL_CREDIT_AVAILABLE : 0) | (hasScheduled() ? CHANNEL_PRIMED : 0);
    }

    private final class Block extends RegisterBlock {
        Block() {
            super(TYPE_SCHEDULER, VERSION_SCHEDULER_MAY_2024, 0x30);
        }

        @Override
        int readField(int offset) {
            return switch (offset) {
                case SCHEDULER_QUEUES_OFFSET -> queuesOffset;
                case SCHEDULER_QUEUES_COUNT -> enabled.length;
                case SCHEDULER_QUEUES_STRIDE -> 4;
                case SCHEDULER_CONTROL -> (on ? SCHEDULER_ENABLE : 0) | (hasScheduled() ? SCHEDULER_ACTIVE : 0);
                case SCHEDULER_INFO -> INFO;
                case SCHEDULER_CHANNEL_CONTROL -> channelStatus();
                case SCHEDULER_CHANNEL_DESTINATION -> destination | PACKET_BUDGET;
                case SCHEDULER_CHANNEL_DATA_BUDGET -> dataBudget | packetLimit << 16;
                case SCHEDULER_CHANNEL_DATA_LIMIT -> dataLimit;
                default -> 0;
            };
        }

        /** Destination, budget and packet limit can be written by halves; a byte write takes its whole half [RTL]. */
        @Override
        void writeField(int offset, int value, int lanes) {
            switch (offset) {
                case SCHEDULER_CONTROL -> on = (value & SCHEDULER_ENABLE) != 0;
                case SCHEDULER_CHANNEL_CONTROL -> channelOn = (value & CHANNEL_ENABLE) != 0;
                case SCHEDULER_CHANNEL_DESTINATION -> {
                    if ((lanes & LOW_HALF) != 0) {
                        destination = value & 0xFFFF & config.destinationMask();
                    }
                }
                case SCHEDULER_CHANNEL_DATA_BUDGET -> {
                    if ((lanes & LOW_HALF) != 0) {
                        dataBudget = value & DATA_BUDGET_MASK;
                    }
                    if ((lanes & HIGH_HALF) != 0) {
                        packetLimit = value >> 16 & PACKET_LIMIT_MASK;
                    }
                }
                case SCHEDULER_CHANNEL_DATA_LIMIT -> dataLimit = value & DATA_LIMIT_MASK;
                default -> {
                }
            }
        }
    }

    private final class Words implements RegisterWindow {
        @Override
        public int read(int offset) {
            int queue = offset >> 2 & enabled.length - 1;
            return (enabled[queue] ? SCHEDULER_QUEUE_ENABLE | SCHEDULER_QUEUE_PORT_ENABLE : 0)
                    | (paused[queue] ? SCHEDULER_QUEUE_PAUSE | SCHEDULER_QUEUE_PORT_PAUSE : 0)
                    | (isScheduled(queue) ? SCHEDULER_QUEUE_SCHEDULED : 0)
                    | (isActive(queue) ? SCHEDULER_QUEUE_ACTIVE : 0);
        }

        /** Commands per port are accepted and have no effect, as anything unknown [RTL]. */
        @Override
        public void write(int offset, int value, int lanes) {
            int queue = offset >> 2 & enabled.length - 1;
            if ((value & 0xFFFFFF00) == SCHEDULER_COMMAND_QUEUE_ENABLE) {
                enabled[queue] = (value & 1) != 0;
                join(queue);
            } else if ((value & 0xFFFFFF00) == SCHEDULER_COMMAND_QUEUE_PAUSE) {
                paused[queue] = (value & 1) != 0;
                join(queue);
            }
        }

        @Override
        public void reset() {
            ChannelScheduler.this.reset();
        }
    }
}
