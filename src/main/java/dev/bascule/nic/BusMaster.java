package dev.bascule.nic;

import dev.bascule.device.DeviceBacking;

/** Bus mastering of a card, on as long as one of its ports works. Thread rule: any thread. */
final class BusMaster {
    private final DeviceBacking backing;
    private int users;

    BusMaster(DeviceBacking backing) {
        this.backing = backing;
    }

    /** A port begins to work. */
    synchronized void take() {
        users++;
        backing.setBusMaster(true);
    }

    /** A port has ended all of its DMA. */
    synchronized void give() {
        if (--users == 0) {
            backing.setBusMaster(false);
        }
    }
}
