package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.EnsoCounter;
import dev.bascule.model.enso.EnsoDevice;
import dev.bascule.model.enso.WireSink;
import dev.bascule.nic.Flow;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.TxPipe;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The device's hazards, each provoked; and boards that are not as the driver was told. */
class EnsoHazardsTest {
    private static final Flow FLOW = Flow.to(EnsoRig.SERVER, EnsoRig.PORT);

    @Test
    void addressesAreSetByOneStoreAndAPipeOpensWithTheStoreOfItsPointers() {
        EnsoDevice device = new EnsoDevice(EnsoRig.board(EnsoRig.SMALL), () -> 0, WireSink.NONE);
        SpyModel spy = new SpyModel(device);
        try (LoopbackDevice backing = LoopbackDevice.open(spy);
                EnsoNic nic = EnsoNic.open(backing, EnsoRig.SMALL, work -> device.work(1000))) {
            spy.stores().clear();
            RxPipe pipe = nic.openGroup().openRx();
            long page = EnsoRegisters.pipePage(pipe.id());
            assertThat(spy.stores()).filteredOn(s -> isAddress(s.offset()))
                    .allSatisfy(s -> assertThat(s.widthBytes()).isEqualTo(8))
                    .anySatisfy(s -> assertThat(s.value()).isGreaterThan(1L << 32));
            List<SpyModel.Store> ofPipe = spy.stores().stream().filter(s -> (s.offset() & -4096L) == page).toList();
            assertThat(ofPipe.getLast()).isEqualTo(new SpyModel.Store(page + EnsoRegisters.RX_TAIL, 8, 0));
            assertThat(ofPipe.get(ofPipe.size() - 2).offset()).isEqualTo(page + EnsoRegisters.RX_ADDRESS_LOW);
        }
    }

    private static boolean isAddress(long offset) {
        long lane = offset & 0x3F;
        return lane == EnsoRegisters.RX_ADDRESS_LOW || lane == EnsoRegisters.RX_ADDRESS_HIGH
                || lane == EnsoRegisters.TX_ADDRESS_LOW || lane == EnsoRegisters.TX_ADDRESS_HIGH;
    }

    @Test
    void flowsOfAClosedPipeNeitherStopTheDeviceNorReachTheNextOwner() {
        try (EnsoRig rig = EnsoRig.small()) {
            EnsoGroup group = rig.nic.openGroup();
            RxPipe first = group.openRx();
            group.bind(first, FLOW);
            rig.receive(EnsoRig.frame(700, 1));
            group.close(first);
            rig.receive(EnsoRig.frame(700, 2));
            RxPipe second = group.openRx();
            assertThat(second.id()).isEqualTo(first.id());
            rig.receive(EnsoRig.frame(700, 3));
            second.prefetch();
            rig.answered();
            assertThat(second.peek()).isZero();
            assertThat(rig.count(EnsoCounter.RX_ENGINE_STOPPED)).isZero();
            assertThat(rig.count(EnsoCounter.DMA_FAULTS)).isZero();
            assertThatThrownBy(() -> group.close(first)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void trafficWhilePipesComeAndGoIsNeverWrittenToFreedMemory() {
        try (EnsoRig rig = EnsoRig.small()) {
            EnsoGroup group = rig.nic.openGroup();
            for (int round = 0; round < 30; round++) {
                RxPipe fallback = group.openFallbackRx();
                RxPipe pipe = group.openRx();
                group.bind(pipe, FLOW);
                for (int i = 0; i < 5; i++) {
                    rig.receive(EnsoRig.frame(60 + 300 * i, i));
                    rig.receive(EnsoRig.frame(60 + 300 * i, i, 5, 6));
                }
                pipe.prefetch();
                rig.answered();
                pipe.prefetch();
                rig.answered();
                assertThat(pipe.peek()).isPositive();
                assertThat(fallback.peek()).isPositive();
                group.close(pipe);
                group.close(fallback);
                rig.receive(EnsoRig.frame(600, 1));
            }
            assertThat(group.strayNotifications()).isZero();
            assertThat(group.refusedNotifications()).isZero();
            assertThat(rig.backing.addressSpace().faultCount()).isZero();
            assertThat(rig.count(EnsoCounter.RX_ENGINE_STOPPED)).isZero();
        }
    }

    @Test
    void whatADeadOwnerLeftBehindTakesNothingMore() {
        try (EnsoRig rig = EnsoRig.small()) {
            EnsoGroup dead = rig.nic.openGroup();
            RxPipe left = dead.openRx();
            dead.bind(left, FLOW);
            rig.receive(EnsoRig.frame(60, 1));
            long written = rig.count(EnsoCounter.RX_BURSTS);
            try (EnsoNic next = rig.open(EnsoRig.SMALL)) {
                EnsoGroup group = next.openGroup();
                rig.receive(EnsoRig.frame(600, 2));
                assertThat(rig.count(EnsoCounter.RX_BURSTS)).isEqualTo(written);
                assertThat(rig.count(EnsoCounter.RX_ENGINE_STOPPED)).isZero();
                RxPipe pipe = group.openRx();
                group.bind(pipe, FLOW);
                rig.receive(EnsoRig.frame(600, 3));
                assertThat(pipe.peek()).isEqualTo(640);
            }
        }
    }

    @Test
    void theNotificationRingNeverOverflows() {
        try (EnsoRig rig = EnsoRig.small()) {
            EnsoGroup group = rig.nic.openGroup();
            RxPipe pipe = group.openFallbackRx();
            rig.receive(EnsoRig.frame(60, 1));
            for (int i = 0; i < 10_000; i++) {
                pipe.prefetch(); // each is answered, for nothing is freed
            }
            assertThat(rig.count(EnsoCounter.NOTIFICATIONS_LOST)).isZero();
            assertThat(pipe.peek()).isEqualTo(64);
            pipe.clear();
            rig.receive(EnsoRig.frame(60, 2));
            assertThat(pipe.peek()).isEqualTo(64);
            assertThat(group.registerLoads()).isLessThan(20);
        }
    }

    @Test
    void withANotificationPerPacketTheRingIsGivenBackAtOnce() {
        EnsoConfig config = EnsoRig.SMALL.withPerPacketNotification(true);
        try (EnsoRig rig = EnsoRig.of(config)) {
            EnsoGroup group = rig.nic.openGroup();
            RxPipe pipe = group.openFallbackRx();
            for (int i = 0; i < 5000; i++) {
                rig.receive(EnsoRig.frame(60, i));
                assertThat(pipe.peek()).isEqualTo(64);
                pipe.clear();
            }
            assertThat(group.notificationCount()).isEqualTo(5000);
            assertThat(rig.count(EnsoCounter.NOTIFICATIONS_LOST)).isZero();
        }
    }

    @Test
    void aGroupTakesAsManyPipesAsItsRingCanAnswerFor() {
        try (EnsoRig rig = EnsoRig.of(EnsoConfig.ofRings(64, 1024))) {
            EnsoGroup group = rig.nic.openGroup();
            List<RxPipe> pipes = new ArrayList<>();
            for (int i = 0; i < 1024 - 1 - 128 - 1; i++) {
                pipes.add(group.openRx());
            }
            assertThatThrownBy(group::openRx).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("open another group");
            group.close(pipes.getFirst());
            group.openRx();
        }
    }

    @Test
    void aSmallInflightLimitIsRespected() {
        EnsoConfig config = new EnsoConfig(1024, 1024, 3, false, false);
        try (EnsoRig rig = EnsoRig.of(config)) {
            TxPipe pipe = rig.nic.openGroup().openTx();
            for (int i = 0; i < 100; i++) {
                MemorySegment.copy(MemorySegment.ofArray(EnsoRig.frame(64, i)), 0, pipe.memory(), pipe.offset(), 64);
                while (pipe.send(64) == 0) {
                    rig.work();
                    pipe.available();
                }
            }
            rig.work();
            assertThat(rig.sent).hasSize(100);
        }
    }

    @Test
    void aFlowTheDeviceWouldLoseIsRefused() {
        try (EnsoRig rig = EnsoRig.small()) {
            EnsoGroup group = rig.nic.openGroup();
            RxPipe pipe = group.openRx();
            int bound = 0;
            DeviceException refused = null;
            for (int i = 0; refused == null && i < 20_000; i++) {
                try {
                    group.bind(pipe, new Flow(i, 80, i * 31, 7, 6));
                    bound++;
                } catch (DeviceException e) {
                    refused = e;
                }
            }
            assertThat(refused).isNotNull().hasMessageContaining("would lose it");
            assertThat(bound).isGreaterThan(1000);
            assertThat(rig.count(EnsoCounter.FLOWS_STORED)).isEqualTo(bound);
            assertThat(rig.count(EnsoCounter.FLOWS_LOST)).isZero();
        }
    }

    @Test
    void otherNotificationRingsAreFoundWhenOpening() {
        EnsoConfig told = EnsoConfig.ofRings(1024, 2048);
        for (int real : new int[] { 1024, 4096, 1 << 19 }) {
            assertThatThrownBy(() -> new EnsoRig(told, new EnsoBoard(1024, real, 500, false)))
                    .isInstanceOf(DeviceException.class).hasMessageContaining(real < 2048 ? "smaller" : "larger")
                    .hasMessageContaining("boardTool");
        }
        assertThatThrownBy(() -> new EnsoRig(told, EnsoBoard.AFTER_LOAD)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("boardTool");
    }

    @Test
    void otherPipeRingsAreFoundAtTheirEnd() {
        for (int real : new int[] { 512, 2048 }) {
            try (EnsoRig rig = new EnsoRig(EnsoRig.SMALL, new EnsoBoard(real, 1024, 500, false))) {
                RxPipe pipe = rig.nic.openGroup().openFallbackRx();
                assertThatThrownBy(() -> {
                    for (int i = 0; i < 3000; i++) {
                        rig.receive(EnsoRig.frame(60, i));
                        pipe.clear();
                    }
                }).isInstanceOf(DeviceException.class).hasMessageContaining(real < 1024 ? "fewer" : "more");
            }
        }
    }

    @Test
    void anotherDeviceIsRefused() {
        EnsoDevice device = new EnsoDevice(EnsoBoard.DEFAULT, () -> 0, WireSink.NONE);
        try (LoopbackDevice backing = LoopbackDevice
                .open(new SpyModel(device, 0x8086))) {
            assertThatThrownBy(() -> EnsoNic.open(backing, EnsoRig.SMALL)).isInstanceOf(DeviceFormatException.class)
                    .hasMessageContaining("not an Ens");
        }
    }

    @Test
    void aRemovedDeviceIsToldAndClosingStillWorks() {
        EnsoRig rig = EnsoRig.small();
        EnsoGroup group = rig.nic.openGroup();
        RxTxPipe pipe = group.openFallbackRxTx();
        rig.receive(EnsoRig.frame(60, 1));
        pipe.confirm(pipe.peek());
        rig.backing.surpriseRemove();
        assertThat(pipe.sendAndFree(64)).isEqualTo(64);
        rig.work();
        assertThat(pipe.pendingBytes()).isEqualTo(64);
        assertThatThrownBy(() -> {
            for (int i = 0; i < 2000; i++) {
                pipe.prefetch();
                rig.answered();
            }
        }).isInstanceOf(DeviceException.class);
        rig.close();
        assertThatThrownBy(() -> rig.nic.roundRobin(true)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void impossibleSettingsAreRefusedByName() {
        assertThatThrownBy(() -> EnsoConfig.ofRings(1000, 1024)).hasMessageContaining("pipe ring of 1000");
        assertThatThrownBy(() -> EnsoConfig.ofRings(1024, 512)).hasMessageContaining("notification ring of 512");
        assertThatThrownBy(() -> new EnsoConfig(1024, 1024, 0, false, false)).hasMessageContaining("in-flight");
        assertThatThrownBy(() -> new Flow(0, 70000, 0, 0, 0)).hasMessageContaining("destination port");
    }
}
