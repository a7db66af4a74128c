package dev.bascule.nic.lesson;

import dev.bascule.device.DeviceBacking;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicDriver;

/** Lesson cards among the drivers of {@link dev.bascule.nic.Nics}: by this class every command finds them. */
public final class LessonDriver implements NicDriver {
    /** Made by the service loader. */
    public LessonDriver() {}

    @Override
    public String name() {
        return "lesson";
    }

    @Override
    public boolean drives(int vendorId, int deviceId) {
        return vendorId == 0x1234 && deviceId == 0xb1c5;
    }

    @Override
    public NicAdapter open(DeviceBacking backing) {
        return NicAdapter.ofRings(name(), backing, options -> new LessonCard(backing, options));
    }
}
