package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;

/** An event queue with its interrupt vector, for the completion queues that report to it. */
final class EventSource implements AutoCloseable {
    /** One event per armed completion queue can be on its way. */
    static final int LOG_ENTRIES = 6;

    private final CompletionRing events;
    private final Interrupt interrupt;

    EventSource(DeviceBacking backing, CompletionRing events, int vector) {
        this.events = events;
        this.interrupt = backing.openInterrupt(InterruptKind.MSIX, vector, null);
    }

    Interrupt interrupt() {
        return interrupt;
    }

    void start() {
        events.start();
        events.acknowledgeAndArm();
    }

    void stop() {
        events.disable();
    }

    /** Takes all events and arms the queue again: who was reported looks at its ring anyway. Bounded. */
    void drain() {
        events.advance(events.ready(1 << LOG_ENTRIES));
        events.acknowledgeAndArm();
    }

    @Override
    public void close() {
        interrupt.close();
    }

    static long sizeBytes() {
        return (long) COMPLETION_BYTES << LOG_ENTRIES;
    }
}
