package dev.bascule.nic.edu;

import dev.bascule.device.DeviceBacking;
import dev.bascule.lab.Lab;
import org.junit.jupiter.api.Tag;

@Tag("lab")
class EduLabTest extends EduContract {
    @Override
    protected DeviceBacking openBacking() {
        return Lab.open(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
    }
}
