package dev.bascule.nic.virtio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Losses;
import dev.bascule.model.edu.EduModel;
import dev.bascule.model.virtio.VirtioNetModel;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The driver on the model, whose wire leads back to itself. */
class VirtioLoopbackTest {
    private static final long MAC = 0x0200_0000_0001L;

    private final VirtioNetModel model = new VirtioNetModel(MAC, true);
    private final LoopbackDevice device = LoopbackDevice.open(model);
    private final NicAdapter card = Nics.open(device);
    private final Nic nic = card.openPort(0, NicOptions.DEFAULTS);
    private final PacketBatch out = new PacketBatch(64);
    private final PacketBatch in = new PacketBatch(64);

    @AfterEach
    void close() {
        card.close();
    }

    private void frame(int lengthBytes, int seed) {
        assertThat(nic.txQueue(0).allocate(out, 1)).isEqualTo(1);
        int i = out.size() - 1;
        out.setLength(i, lengthBytes);
        byte[] bytes = new byte[lengthBytes];
        new Random(seed).nextBytes(bytes);
        MemorySegment.copy(bytes, 0, out.memory().segment(), ValueLayout.JAVA_BYTE, out.offset(i), lengthBytes);
    }

    private void expect(int i, int lengthBytes, int seed) {
        byte[] bytes = new byte[lengthBytes];
        new Random(seed).nextBytes(bytes);
        assertThat(in.memory().segment().asSlice(in.offset(i), in.length(i)).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(bytes);
    }

    @Test
    void framesOfEveryLengthComeBackWhole() {
        nic.start();
        for (int bytes : new int[] { 14, 60, 61, 1000, 1514, 1518 }) {
            frame(bytes, bytes);
            assertThat(nic.txQueue(0).write(out)).isEqualTo(1);
            assertThat(nic.rxQueue(0).poll(in)).as("nothing before the commit").isZero();
            assertThat(nic.txQueue(0).commit()).isEqualTo(1);
            assertThat(nic.rxQueue(0).await(1_000_000_000L)).isTrue();
            assertThat(nic.rxQueue(0).poll(in)).isEqualTo(1);
            expect(0, bytes, bytes);
            in.release();
        }
        assertThat(device.addressSpace().faultCount()).isZero();
        assertThat(nic.macAddress()).contains(new MacAddress(MAC));
        assertThat(nic.link().up()).isTrue();
    }

    @Test
    void ringsGoRoundWithoutLosingAPacket() {
        nic.start();
        int seed = 0;
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 50; i++) {
                frame(64, seed + i);
            }
            assertThat(nic.txQueue(0).write(out)).isEqualTo(50);
            nic.txQueue(0).commit();
            assertThat(nic.rxQueue(0).poll(in)).isEqualTo(50);
            for (int i = 0; i < 50; i++) {
                expect(i, 64, seed + i);
            }
            in.release();
            seed += 50;
        }
        nic.txQueue(0).reclaim();
        assertThat(nic.txQueue(0).inFlight()).isZero();
        assertThat(nic.statistics()).containsEntry("tx_packets", 5000L).containsEntry("rx_packets", 5000L)
                .containsEntry("rx_bytes", 320_000L);
        assertThat(model.losses()).isEqualTo(Losses.NONE);
    }

    @Test
    void aFullRingKeepsWhatDidNotFitAndForeignPacketsGoBackOnceSent() {
        model.connectWire(frame -> {});
        nic.start();
        try (PacketPool foreign = PacketPool.allocate("foreign", 400, 2048)) {
            PacketBatch many = new PacketBatch(400);
            assertThat(foreign.take(many, 400)).isEqualTo(400);
            for (int i = 0; i < 400; i++) {
                many.setLength(i, 60);
            }
            int written = nic.txQueue(0).write(many);
            assertThat(written).isEqualTo(128);
            assertThat(many.size()).isEqualTo(400 - written);
            nic.txQueue(0).commit();
            assertThat(nic.txQueue(0).write(many)).as("after the device is done").isEqualTo(128);
            nic.txQueue(0).commit();
            many.release();
            nic.txQueue(0).reclaim();
            assertThat(foreign.buffers().available()).isEqualTo(400);
        }
        assertThat(nic.statistics().get("tx_no_room")).isPositive();
    }

    @Test
    void framesWithoutBufferAreRefusedOrCounted() {
        byte[] sent = new byte[60];
        assertThat(model.offer(sent)).as("no driver yet").isFalse();
        model.receive(sent);
        nic.start();
        int taken = 0;
        while (model.offer(sent)) {
            taken++;
        }
        assertThat(taken).isPositive();
        Losses lost = Losses.NONE.plus("queue 0", "driver not ready", 1);
        assertThat(model.losses()).isEqualTo(lost);
        model.receive(sent);
        lost = lost.plus("queue 0", "no buffer", 1);
        assertThat(model.losses()).isEqualTo(lost);
        int received = 0;
        for (int count = nic.rxQueue(0).poll(in); count != 0; count = nic.rxQueue(0).poll(in)) {
            received += count;
            in.release();
        }
        assertThat(received).isEqualTo(taken);
        assertThat(model.offer(new byte[60_000])).as("it fits no buffer ever").isTrue();
        lost = lost.plus("queue 0", "buffer too short or not there", 1);
        assertThat(model.losses()).isEqualTo(lost);
        model.reset();
        assertThat(model.losses()).as("over all resets").isEqualTo(lost);
    }

    @Test
    void stoppingTakesAllBuffersBack() {
        nic.start();
        frame(60, 1);
        nic.txQueue(0).write(out);
        nic.stop();
        nic.stop();
        assertThat(device.config().read16(4) & 4).isZero();
        nic.start();
        frame(60, 2);
        nic.txQueue(0).write(out);
        nic.txQueue(0).commit();
        assertThat(nic.rxQueue(0).poll(in)).isEqualTo(1);
        expect(0, 60, 2);
        in.release();
    }

    @Test
    void aDeviceThatLiesStopsItsQueue() {
        nic.start();
        model.lieOnce();
        frame(60, 1);
        nic.txQueue(0).write(out);
        nic.txQueue(0).commit();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> nic.rxQueue(0).poll(in)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("which it was not given");
        }
        nic.stop();
        nic.start();
        assertThat(nic.rxQueue(0).poll(in)).isZero();
    }

    @Test
    void uselessFramesAreCountedAndGivenBack() {
        nic.start();
        frame(60, 1);
        out.setLength(0, 13);
        frame(60, 1);
        out.setLength(1, 1600);
        frame(60, 1);
        out.setLength(2, 0);
        assertThat(nic.txQueue(0).write(out)).isZero();
        assertThat(out.isEmpty()).isTrue();
        assertThat(nic.statistics().get("tx_errors")).isEqualTo(2);
        assertThatThrownBy(() -> nic.setMaxFrameBytes(9000)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void otherDevicesAndOldOnesAreRefused() {
        try (LoopbackDevice edu = LoopbackDevice.open(new EduModel())) {
            NicAdapter other = new VirtioDriver().open(edu);
            assertThatThrownBy(() -> other.openPort(0, NicOptions.DEFAULTS)).isInstanceOf(DeviceFormatException.class);
        }
        try (NicAdapter old = Nics.open(LoopbackDevice.open(new VirtioNetModel(MAC, false)))) {
            Nic port = old.openPort(0, NicOptions.DEFAULTS);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(port::start).as("start %d", i).isInstanceOf(DeviceException.class)
                        .hasMessageContaining("disable-legacy=on");
            }
        }
    }

    @Test
    void aCardThatIsGoneIsNoticed() {
        nic.start();
        nic.check();
        device.surpriseRemove();
        assertThatThrownBy(nic::check).isInstanceOf(DeviceRemovedException.class);
    }

    /** The card is asked for no offload: the driver works the checksum out, in its own buffers and in copies. */
    @Test
    void aChecksumIsInsertedByTheDriver() {
        nic.start();
        try (PacketPool foreign = PacketPool.allocate("foreign", 1, 2048)) {
            PacketBatch copied = new PacketBatch(1);
            foreign.take(copied, 1);
            nic.txQueue(0).allocate(out, 1);
            for (PacketBatch batch : new PacketBatch[] { out, copied }) {
                batch.setLength(0, 60);
                batch.memory().segment().asSlice(batch.offset(0), 60).fill((byte) 1);
                batch.requestChecksum(0, 34, 40); // 13 words of 0x0101
                nic.txQueue(0).write(batch);
                nic.txQueue(0).commit();
                assertThat(nic.rxQueue(0).poll(in)).isEqualTo(1);
                byte[] got = in.memory().segment().asSlice(in.offset(0), 60).toArray(ValueLayout.JAVA_BYTE);
                assertThat(new byte[] { got[39], got[40], got[41], got[42] }).containsExactly(1, ~13, ~13, 1);
                in.release();
            }
        }
    }
}
