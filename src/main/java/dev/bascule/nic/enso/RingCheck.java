package dev.bascule.nic.enso;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.ffi.Patience;
import dev.bascule.ring.IdleStrategy;

/**
 * Finds out whether the board's notification rings have the size the driver was told, without traffic: a pipe that takes
 * nothing is made to notify at the last slot and at the middle slot of the ring; where the device's tail goes from there
 * gives its size away. Both slots lie within our ring whatever the size.
 */
final class RingCheck {
    private static final long WAIT_NANOS = 500_000_000L;

    private final PipeRegisters lanes;
    private final NotificationBuffer buffer;
    private final IdleStrategy idle;

    RingCheck(PipeRegisters lanes, NotificationBuffer buffer, IdleStrategy idle) {
        this.lanes = lanes;
        this.buffer = buffer;
        this.idle = idle;
    }

    /** The pipe {@link PipeIds#NOWHERE} must be plugged and point to the buffer. */
    void run() {
        int entries = buffer.entries();
        try {
            int afterLast = step(entries - 1);
            if (afterLast != 0) {
                throw wrong(entries, "larger");
            }
            int afterMiddle = step(entries / 2 - 1);
            if (afterMiddle != entries / 2) {
                throw wrong(entries, "smaller");
            }
        } finally {
            buffer.restart();
        }
    }

    private int step(int slot) {
        buffer.place(slot);
        lanes.store32(EnsoRegisters.pipePage(PipeIds.NOWHERE) + EnsoRegisters.RX_HEAD, 1);
        Patience patience = new Patience(WAIT_NANOS, lanes::nanoTime, () -> 0);
        int tail = buffer.deviceTail();
        while (tail == slot) {
            if (patience.isOver()) {
                throw new DeviceException("check the notification ring", "enso",
                        "the device does not answer a head update", Control.SET_BOARD);
            }
            idle.idle(0);
            tail = buffer.deviceTail();
        }
        if (tail == -1) {
            throw new DeviceRemovedException("check the notification ring", "enso");
        }
        return tail;
    }

    private static DeviceException wrong(int entries, String relation) {
        return new DeviceException("check the notification ring", "enso", "the board's rings are " + relation
                + " than the " + entries + " entries the driver was told",
                Control.SET_BOARD + "; if they are what they are to be, tell the driver their size: "
                        + "enso.notificationRingEntries of the configuration, or EnsoConfig");
    }
}
