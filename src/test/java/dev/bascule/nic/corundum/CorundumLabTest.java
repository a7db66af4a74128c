package dev.bascule.nic.corundum;

import dev.bascule.lab.Lab;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;

/**
 * The driver through the kernel's VFIO on the card of QEMU's vfio-user-pci, which a process outside of the virtual machine
 * serves: {@code scripts/lab --corundum}.
 */
@Tag("lab")
class CorundumLabTest extends CorundumDriverContract {
    @Override
    Rig rig(CorundumConfig config, List<WireEnd> wires) {
        Assumptions.assumeFalse(Lab.devices(MqnicRegisters.VENDOR_ID, MqnicRegisters.DEVICE_ID).isEmpty(),
                "the lab's QEMU has no vfio-user-pci");
        return Rig.of(Lab.open(MqnicRegisters.VENDOR_ID, MqnicRegisters.DEVICE_ID, 0));
    }
}
