package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.Registers;
import dev.bascule.ring.Clock;

/**
 * Stops what a former driver left. The state of queues lies in RAM that no reset clears: after a crash, and also after a
 * reset, a queue may be enabled with a ring in memory that is somebody else's by now, and armed to write an event there.
 * So every queue is disabled, and those of records are disarmed, as upstream's driver disables them when it finds a card.
 * All writes are posted: some milliseconds for the 41,000 of the largest designs.
 */
final class Leftovers {
    private Leftovers() {}

    static void stop(Registers bar, InterfaceMap map, Clock clock) {
        boolean running = false;
        for (long port : map.ports()) {
            running |= (bar.read32(port + PORT_TX_CONTROL) & PORT_ENABLE) != 0;
            bar.write32(port + PORT_RX_CONTROL, 0);
        }
        for (RegisterBlock scheduler : map.schedulers()) {
            bar.write32(scheduler.offset() + SCHEDULER_CONTROL, 0);
        }
        disable(bar, map.txQueues(), WORK_QUEUE_COMMAND);
        disable(bar, map.rxQueues(), WORK_QUEUE_COMMAND);
        disarm(bar, map.completionQueues());
        disarm(bar, map.eventQueues());
        if (running) {
            drain(bar, map.ports().getFirst(), clock);
        }
        for (long port : map.ports()) {
            bar.write32(port + PORT_TX_CONTROL, 0);
        }
    }

    /**
     * Gives the ports time to send what was fetched, which a port that is off would hold and complete in the rings of
     * whoever comes; nobody is left to count, and what completes now goes nowhere.
     */
    private static void drain(Registers bar, long port, Clock clock) {
        StopLimit limit = new StopLimit(clock);
        while (bar.read32(port + PORT_TX_CONTROL) != -1 && limit.lasts()) {
            Thread.onSpinWait();
        }
    }

    private static void disable(Registers bar, QueueRange queues, int command) {
        for (int queue = 0; queue < queues.count(); queue++) {
            bar.write32(queues.at(queue) + command, COMMAND_SET_ENABLE);
        }
    }

    /** In this order: arming fires a queue that is enabled and not empty, so nothing can fire in between. */
    private static void disarm(Registers bar, QueueRange queues) {
        disable(bar, queues, COMPLETION_QUEUE_COMMAND);
        for (int queue = 0; queue < queues.count(); queue++) {
            bar.write32(queues.at(queue) + COMPLETION_QUEUE_COMMAND, COMMAND_SET_ARM);
        }
    }
}
