package dev.bascule.nic.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.ForwardingModel;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.corundum.CorundumProfile;
import dev.bascule.nic.PacketBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many registers are written: each crosses PCIe, and on a card of many queues opening writes most. */
class RegisterWritesTest {
    private static final class Counted extends ForwardingModel {
        private int writes;

        Counted(CorundumModel model) {
            super(model);
        }

        @Override
        public void write(int bar, long offset, int widthBytes, long value) {
            writes++;
            super.write(bar, offset, widthBytes, value);
        }

        /** Since the last call. */
        int take() {
            int count = writes;
            writes = 0;
            return count;
        }
    }

    private static CorundumModel model(CorundumProfile profile) {
        return new CorundumModel(CorundumConfig.builder().profile(profile).eventQueues(8).completionQueues(64)
                .txQueues(16).rxQueues(16).build(), Cables.cross(), false);
    }

    /** Taking the card over, opening a port and starting it; the figures are those of the driver before issue 35. */
    @ParameterizedTest
    @CsvSource({ "MAY_2024, 1, false, 182, 8, 60", "MAY_2024, 4, true, 182, 26, 201",
            "DECEMBER_2023, 1, false, 182, 8, 56" })
    void openingCostsNoMoreThanItDid(CorundumProfile profile, int queues, boolean interrupts, int adapterWrites,
            int portWrites, int startWrites) {
        Counted counted = new Counted(model(profile));
        CorundumOptions options = CorundumOptions.DEFAULTS.withQueues(queues, queues).withTimestamps();
        try (LoopbackDevice device = LoopbackDevice.open(counted);
                CorundumAdapter adapter = CorundumAdapter.open(device)) {
            assertThat(counted.take()).as("take over").isPositive().isLessThanOrEqualTo(adapterWrites);
            CorundumNic nic = adapter.openPort(0, interrupts ? options.withInterrupts() : options);
            assertThat(counted.take()).as("open the port").isPositive().isLessThanOrEqualTo(portWrites);
            nic.start();
            assertThat(counted.take()).as("start").isPositive().isLessThanOrEqualTo(startWrites);
        }
    }

    /** A generator on one port, a forwarder on the other: 1,000 times around with 32 packets. */
    @Test
    void aBurstCostsNoMoreThanItDid() {
        CorundumModel model = model(CorundumProfile.MAY_2024);
        Counted counted = new Counted(model);
        try (LoopbackDevice device = LoopbackDevice.open(counted);
                CorundumAdapter adapter = CorundumAdapter.open(device)) {
            CorundumNic left = adapter.openPort(0, CorundumOptions.DEFAULTS.withTimestamps());
            CorundumNic right = adapter.openPort(1, CorundumOptions.DEFAULTS.withTimestamps());
            left.start();
            right.start();
            counted.take();
            PacketBatch batch = new PacketBatch(32);
            int forwarded = 0;
            for (int round = 0; round < 1000; round++) {
                left.txQueue(0).allocate(batch, 32);
                for (int i = 0; i < batch.size(); i++) {
                    batch.setLength(i, 64);
                }
                left.txQueue(0).write(batch);
                left.txQueue(0).commit();
                work(model);
                forwarded += right.rxQueue(0).poll(batch);
                right.txQueue(0).write(batch);
                right.txQueue(0).commit();
                work(model);
                left.rxQueue(0).poll(batch);
                batch.release();
            }
            assertThat(forwarded).isEqualTo(32_000);
            assertThat(counted.take()).isPositive().isLessThanOrEqualTo(4_498);
        }
    }

    private static void work(CorundumModel model) {
        while (model.poll() != 0) {
            Thread.onSpinWait();
        }
    }
}
