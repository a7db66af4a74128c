package dev.bascule.nic.lesson;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicDriver;

/** Lesson cards among the drivers of {@link dev.bascule.nic.Nics}: by this class every command finds {@link LessonNic}. */
public final class LessonDriver implements NicDriver {
    private static final int VENDOR_ID = 0x1234;
    private static final int DEVICE_ID = 0xb1c5;

    /** Made by the service loader. */
    public LessonDriver() {}

    @Override
    public String name() {
        return "lesson";
    }

    @Override
    public boolean drives(int vendorId, int deviceId) {
        return vendorId == VENDOR_ID && deviceId == DEVICE_ID;
    }

    @Override
    public NicAdapter open(DeviceBacking backing) {
        return NicAdapter.ofOnePort(backing, options -> {
            if (options.rxQueues() > 1 || options.txQueues() > 1) {
                throw new DeviceException("open port 0", backing.info().toString(), options.rxQueues()
                        + " receive and " + options.txQueues() + " transmit queues wanted; the card has one each way",
                        "open one");
            }
            return new LessonNic(backing, options);
        });
    }
}
