package dev.bascule.nic.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.ModelTiming;
import dev.bascule.model.Cables;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.corundum.CorundumObserver;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.PacketBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a driver finds that was not closed: it crashed, and a reset clears no queue. */
class LeftoversTest {
    private static final CorundumConfig CONFIG = CorundumConfig.builder().completionQueues(64).txQueues(32).rxQueues(32)
            .firstMacAddress(0x0A35_0612_3400L).timing(ModelTiming.RTL).build();

    private final Watch watch = new Watch();
    private final CorundumModel model = new CorundumModel(CONFIG, Cables.cross(), false, watch);

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void oneThatSleptForInterruptsLeavesNothingThatWritesIntoAnothersMemory(boolean reset) {
        try (Rig rig = Rig.stepped(model)) {
            Traffic traffic = new Traffic(rig);
            CorundumAdapter crashed = CorundumAdapter.open(rig.backing());
            CorundumOptions sleeping = CorundumDriverContract.SMALL.withQueues(2, 1).withInterrupts();
            CorundumNic left = crashed.openPort(0, sleeping);
            CorundumNic right = crashed.openPort(1, sleeping);
            left.start();
            right.start();
            traffic.send(left.txQueue(0), Traffic.udp(60, 1));
            for (int i = 0; i < 2; i++) {
                right.rxQueue(i).await(0); // arms
            }
            rig.work();
            if (reset) {
                rig.backing().reset();
            }
            watch.events = 0;
            watch.interrupts = 0;

            CorundumAdapter next = CorundumAdapter.open(rig.backing()); // polls
            CorundumNic here = next.openPort(0, CorundumDriverContract.SMALL);
            CorundumNic there = next.openPort(1, CorundumDriverContract.SMALL);
            here.start();
            there.start();
            for (int i = 0; i < 8; i++) {
                traffic.send(here.txQueue(0), Traffic.udp(60, i));
            }
            assertThat(traffic.receive(there.rxQueue(0), 8)).hasSize(8);
            assertThat(watch.events).as("events into rings of the one that crashed").isZero();
            assertThat(watch.interrupts).isZero();
            left.close(); // its memory
            right.close();
            next.close();
        }
    }

    @Test
    void framesOfOneThatCrashedAreSentAndCompletedNowhere() {
        try (Rig rig = Rig.stepped(model)) {
            CorundumAdapter crashed = CorundumAdapter.open(rig.backing());
            CorundumNic left = crashed.openPort(0, CorundumDriverContract.SMALL);
            left.start();
            for (int round = 0; round < 4; round++) {
                PacketBatch batch = new PacketBatch(8);
                left.txQueue(0).allocate(batch, 8);
                for (int i = 0; i < 8; i++) {
                    batch.setLength(i, 1500);
                }
                left.txQueue(0).write(batch);
                left.txQueue(0).commit();
                model.poll(); // they are fetched
            }
            CorundumAdapter next = CorundumAdapter.open(rig.backing());
            CorundumNic here = next.openPort(0, CorundumDriverContract.SMALL);
            here.start();
            Traffic traffic = new Traffic(rig);
            traffic.send(here.txQueue(0), Traffic.frame(64, 1));
            traffic.flush(here);
            assertThat(here.statistics()).containsEntry("tx_packets", 1L).containsEntry("tx_stale", 0L);
            left.close();
            next.close();
        }
    }

    @Test
    void everyQueueIsDisabledAndDisarmedWhenACardIsOpened() {
        try (Rig rig = Rig.stepped(model)) {
            var bar = rig.backing().registers(0);
            for (long base : new long[] { 0x180000, 0x200000 }) {
                bar.write32(base + 16 * 7 + 8, 0x40000101);
                bar.write32(base + 16 * 7 + 8, 0x40000201);
            }
            bar.write32(0x400000 + 32 * 9 + 8, 0x40000101);
            bar.write32(0x600000 + 32 * 9 + 8, 0x40000101);
            CorundumAdapter.open(rig.backing());
            assertThat(bar.read32(0x180000 + 16 * 7 + 8) & 0x30000).isZero();
            assertThat(bar.read32(0x200000 + 16 * 7 + 8) & 0x30000).isZero();
            assertThat(bar.read32(0x400000 + 32 * 9 + 8)).isZero();
            assertThat(bar.read32(0x600000 + 32 * 9 + 8)).isZero();
        }
    }

    @Test
    void portsHaveTheAddressesOfTheBoard() {
        try (Rig rig = Rig.stepped(model)) {
            CorundumAdapter card = CorundumAdapter.open(rig.backing());
            assertThat(card.openPort(0, CorundumDriverContract.SMALL).macAddress())
                    .contains(MacAddress.parse("0a:35:06:12:34:00"));
            assertThat(card.openPort(1, CorundumDriverContract.SMALL).macAddress())
                    .contains(MacAddress.parse("0a:35:06:12:34:01"));
            card.close();
        }
        try (Rig rig = Rig.stepped(
                new CorundumModel(CorundumConfig.builder().build(), Cables.cross(), false))) {
            CorundumAdapter card = CorundumAdapter.open(rig.backing());
            assertThat(card.openPort(0, CorundumDriverContract.SMALL).macAddress()).as("a board without a list")
                    .isEmpty();
            card.close();
        }
    }

    /** Counts what only interrupts need. */
    private static final class Watch implements CorundumObserver {
        private int events;
        private int interrupts;

        @Override
        public void descriptorRead(boolean transmit, int queue, long address, int lengthBytes, long cause) {
            // of no interest
        }

        @Override
        public void dataRead(int queue, long address, int lengthBytes, long cause) {
            // of no interest
        }

        @Override
        public void dataWritten(int queue, long address, byte[] data, int offset, int lengthBytes, long cause) {
            // of no interest
        }

        @Override
        public void recordWritten(boolean event, int queue, long address, byte[] record, long cause) {
            events += event ? 1 : 0;
        }

        @Override
        public void transmitted(int port, byte[] data, int offset, int lengthBytes, long cause) {
            // of no interest
        }

        @Override
        public void interrupted(int vector, long cause) {
            interrupts++;
        }
    }
}
