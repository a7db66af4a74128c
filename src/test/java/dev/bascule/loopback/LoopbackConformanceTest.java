package dev.bascule.loopback;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceConformance;
import dev.bascule.device.ProbeModel;

class LoopbackConformanceTest extends DeviceConformance {
    @Override
    protected DeviceBacking open(ProbeModel probe) {
        return LoopbackDevice.open(probe);
    }
}
