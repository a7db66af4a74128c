package dev.bascule.nic.ivshmem;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.edu.EduModel;
import dev.bascule.model.ivshmem.IvshmemHub;
import java.util.List;
import org.junit.jupiter.api.Test;

class IvshmemLoopbackTest extends IvshmemContract {
    private final IvshmemHub hub = new IvshmemHub(1 << 20, 8);

    @Override
    protected List<DeviceBacking> openPeers() {
        return List.of(LoopbackDevice.open(hub.peer()), LoopbackDevice.open(hub.peer()));
    }

    @Test
    void anotherDeviceIsNotTakenForIvshmem() {
        try (DeviceBacking edu = LoopbackDevice.open(new EduModel())) {
            assertThatThrownBy(() -> IvshmemDriver.open(edu)).isInstanceOf(DeviceFormatException.class)
                    .hasMessageContaining("1af4:1110");
        }
    }
}
