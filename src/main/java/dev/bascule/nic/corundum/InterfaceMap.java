package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.Registers;
import java.util.ArrayList;
import java.util.List;

/**
 * Where everything of one interface lies, as its register blocks say, and what it is capable of.
 *
 * @param number of the interface
 * @param base its window in BAR0
 * @param blocks the interface's own list
 * @param control interface control block
 * @param features {@code FEATURE_*}
 * @param queueMap receive queue map block
 * @param ports port control blocks, by port
 * @param schedulers scheduler blocks
 */
record InterfaceMap(int number, long base, RegisterBlocks blocks, long control, int features, QueueRange eventQueues,
        QueueRange completionQueues, QueueRange txQueues, QueueRange rxQueues, long queueMap, List<Long> ports,
        List<RegisterBlock> schedulers) {
    private static final int MOST_PORTS = 8;

    static InterfaceMap read(Registers bar, String device, int number, long base, long csrOffset, long sizeBytes) {
        String name = device + " interface " + number;
        RegisterBlocks blocks = RegisterBlocks.read(bar, name, base, csrOffset, sizeBytes);
        long control = blocks.require("interface control", TYPE_INTERFACE_CONTROL, VERSION_INTERFACE_CONTROL).offset();
        int ports = bar.read32(control + INTERFACE_PORTS);
        int schedulers = bar.read32(control + INTERFACE_SCHEDULERS);
        if (ports < 1 || ports > MOST_PORTS || schedulers < 1 || schedulers > MOST_PORTS) {
            throw RegisterBlocks.refuse(name, ports + " ports and " + schedulers + " schedulers");
        }
        QueueRange events = queues(bar, name, "event queues", blocks, base, TYPE_EVENT_QUEUES, VERSION_EVENT_QUEUES,
                COMPLETION_QUEUE_STRIDE);
        QueueRange completions = queues(bar, name, "completion queues", blocks, base, TYPE_COMPLETION_QUEUES,
                VERSION_COMPLETION_QUEUES, COMPLETION_QUEUE_STRIDE);
        QueueRange tx = queues(bar, name, "TX queues", blocks, base, TYPE_TX_QUEUES, VERSION_TX_QUEUES,
                WORK_QUEUE_STRIDE);
        QueueRange rx = queues(bar, name, "RX queues", blocks, base, TYPE_RX_QUEUES, VERSION_RX_QUEUES,
                WORK_QUEUE_STRIDE);
        long map = blocks.require("receive queue map", TYPE_RX_QUEUE_MAP, VERSION_RX_QUEUE_MAP).offset();
        return new InterfaceMap(number, base, blocks, control, bar.read32(control + INTERFACE_FEATURES), events,
                completions, tx, rx, map, ports(bar, name, blocks, base, ports, sizeBytes),
                schedulers(bar, name, blocks, base, schedulers, sizeBytes));
    }

    /** The longest frame that the design takes both ways. */
    int longestFrameBytes(Registers bar) {
        return Math.min(bar.read32(control + INTERFACE_MAX_TX_MTU) & 0xFFFF,
                bar.read32(control + INTERFACE_MAX_RX_MTU) & 0xFFFF);
    }

    private static QueueRange queues(Registers bar, String name, String what, RegisterBlocks blocks, long base,
            int type, int version, int stride) {
        return QueueRange.read(bar, name, what, blocks.require(what, type, version), base, stride);
    }

    private static List<Long> ports(Registers bar, String name, RegisterBlocks blocks, long base, int count,
            long sizeBytes) {
        List<Long> found = new ArrayList<>();
        for (RegisterBlock port : blocks.requireAll("port", TYPE_PORT, VERSION_PORT)) {
            found.add(sublist(bar, name, port, base, sizeBytes)
                    .require("port control", TYPE_PORT_CONTROL, VERSION_PORT_CONTROL).offset());
        }
        requireCount(name, "port", found.size(), count);
        return List.copyOf(found.subList(0, count));
    }

    private static List<RegisterBlock> schedulers(Registers bar, String name, RegisterBlocks blocks, long base,
            int count, long sizeBytes) {
        List<RegisterBlock> found = new ArrayList<>();
        for (RegisterBlock block : blocks.requireAll("scheduler block", TYPE_SCHEDULER_BLOCK,
                VERSION_SCHEDULER_BLOCK)) {
            found.add(sublist(bar, name, block, base, sizeBytes).require("scheduler", TYPE_SCHEDULER,
                    VERSION_SCHEDULER_MAY_2024, VERSION_SCHEDULER_DECEMBER_2023));
        }
        requireCount(name, "scheduler", found.size(), count);
        return List.copyOf(found.subList(0, count));
    }

    static RegisterBlocks sublist(Registers bar, String name, RegisterBlock parent, long base, long sizeBytes) {
        long first = bar.read32(parent.offset() + SUBLIST_OFFSET) & 0xFFFFFFFFL;
        if (first == 0 || first + RegisterBlocks.LONGEST_BLOCK > sizeBytes) {
            throw RegisterBlocks.refuse(name, "the list below %s starts at 0x%x".formatted(parent, first));
        }
        return RegisterBlocks.read(bar, name, base, first, sizeBytes);
    }

    private static void requireCount(String name, String what, int found, int wanted) {
        if (found < wanted) {
            throw RegisterBlocks.refuse(name, wanted + " " + what + "s announced, " + found + " found");
        }
    }

    boolean has(int feature) {
        return (features & feature) != 0;
    }

    /** Whether packets are spread over receive queues: without a hash all of them come to the first. */
    boolean spreadsFlows() {
        return has(FEATURE_RSS) && has(FEATURE_RX_HASH);
    }
}
