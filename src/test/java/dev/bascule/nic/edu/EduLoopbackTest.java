package dev.bascule.nic.edu;

import dev.bascule.device.DeviceBacking;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.edu.EduModel;

class EduLoopbackTest extends EduContract {
    @Override
    protected DeviceBacking openBacking() {
        return LoopbackDevice.open(new EduModel());
    }
}
