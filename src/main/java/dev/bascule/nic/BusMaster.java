package dev.bascule.nic;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import org.jspecify.annotations.Nullable;

/** Bus mastering of a card, on as long as one of its ports works. Thread rule: any thread. */
final class BusMaster {
    private final DeviceBacking backing;
    private int users;
    private @Nullable DeviceException broken;

    BusMaster(DeviceBacking backing) {
        this.backing = backing;
    }

    /** A port begins to work; not on a card one of whose ports could not stop. */
    synchronized void take() {
        users++;
        if (broken != null) {
            throw new DeviceException("start a port", backing.info().toString(),
                    "one of its ports could not be stopped (" + broken.getMessage()
                            + "), and may reach memory that is others' by now",
                    "reset the card and open it again", broken);
        }
        backing.setBusMaster(true);
    }

    /** A port could not end its DMA: off for all ports, until the card is opened anew. */
    synchronized void forbid(DeviceException why) {
        broken = why;
        backing.setBusMaster(false);
    }

    /** A port has ended all of its DMA. */
    synchronized void give() {
        if (--users == 0) {
            backing.setBusMaster(false);
        }
    }
}
