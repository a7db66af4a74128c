package dev.bascule.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceModel;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.edu.EduDriver;
import dev.bascule.nic.ivshmem.IvshmemDriver;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.BeforeEach;

/** What the extension gives to tests of devices, used as a user does. */
class LoopbackTest {
    private static final int BYTES = 60;
    private static final int CONTENT = 48;
    /** To all stations, IPv4 of 46 bytes, UDP: Ensō reads the length in it. */
    private static final byte[] IPV4 = { -1, -1, -1, -1, -1, -1, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, BYTES - 14, 0, 0,
            0, 0,
            64, 17 };

    @BeforeEach
    void theDeviceIsOpen(DeviceBacking backing) {
        assertThat(backing.bars()).isNotEmpty();
    }

    /** Sends a frame, and returns 8 bytes of the one that comes out. */
    private static long pass(Nic from, Nic to, long content) {
        PacketBatch batch = new PacketBatch(1);
        assertThat(from.txQueue(0).allocate(batch, 1)).isEqualTo(1);
        MemorySegment frame = batch.memory().segment().asSlice(batch.offset(0), BYTES);
        MemorySegment.copy(MemorySegment.ofArray(IPV4), 0, frame, 0, IPV4.length);
        frame.set(ValueLayout.JAVA_LONG_UNALIGNED, CONTENT, content);
        batch.setLength(0, BYTES);
        assertThat(from.txQueue(0).write(batch)).isEqualTo(1);
        from.txQueue(0).commit();
        PacketBatch in = new PacketBatch(1);
        while (to.rxQueue(0).poll(in) == 0) {
            assertThat(to.rxQueue(0).await(20_000_000_000L)).as("a frame came").isTrue();
        }
        long came = in.memory().segment().get(ValueLayout.JAVA_LONG_UNALIGNED, in.offset(0) + CONTENT);
        in.release();
        return came;
    }

    @Loopback(device = { "cndm", "cndm-proto", "corundum", "enso", "virtio" })
    void whatIsSentComesBack(Nic nic, @Seed long seed) {
        assertThat(pass(nic, nic, seed)).isEqualTo(seed);
    }

    @Loopback(device = "corundum", wire = Loopback.Wire.CROSS)
    void theNthNicIsPortN(NicAdapter adapter, Nic left, Nic right) {
        assertThat(adapter.ports()).isEqualTo(2);
        assertThat(left).isNotSameAs(right);
        assertThat(pass(left, right, 5)).isEqualTo(5);
        assertThat(pass(right, left, 6)).isEqualTo(6);
    }

    @Loopback(device = "edu")
    void edusDriverCountsOnItsModel(EduDriver driver, LoopbackDevice device, DeviceModel model) {
        assertThat(driver.factorial(6)).isEqualTo(720);
        assertThat(device.info().toString()).contains(model.name());
    }

    @Loopback(device = "ivshmem")
    void ivshmemsMemoryIsThere(IvshmemDriver driver) {
        assertThat(driver.memory().byteSize()).isEqualTo(1 << 20);
    }

    @Loopback(device = "smartnic")
    void aSmartNicIsABacking(DeviceBacking backing, LoopbackDevice device) {
        assertThat(backing).isSameAs(device);
    }
}
