package dev.bascule.nic.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.Registers;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ports that stop and start, and close and open, with frames under way both ways, on a card that takes its time. */
@Timeout(120)
class RestartTest {
    private static final int RESTARTS = 200;
    private static final int BURST = 24;

    private final Random random = new Random(35);
    private final PacketBatch batch = new PacketBatch(64);
    private final LoopbackDevice device = LoopbackDevice.open(new CorundumModel(
            CorundumConfig.builder().timing(ModelTiming.RTL).build(), Cables.cross(), true));
    private final Traffic traffic = new Traffic(Rig.of(device));

    private static CorundumOptions options(int queues, boolean interrupts) {
        return new CorundumOptions(queues, queues, 32, 2048, 1, 64, 1518, false, interrupts);
    }

    @ParameterizedTest
    @CsvSource({ "1, false, false", "1, false, true", "1, true, false", "1, true, true", "4, false, false",
            "4, false, true", "4, true, false", "4, true, true", "16, false, false", "16, false, true",
            "16, true, false", "16, true, true" })
    void noRestartUnderLoadStopsAQueueOrReachesMemoryThatWasTakenBack(int queues, boolean interrupts, boolean reset) {
        try (CorundumAdapter adapter = CorundumAdapter.open(device)) {
            List<CorundumNic> ports = new ArrayList<>();
            for (int port = 0; port < 2; port++) {
                ports.add(adapter.openPort(port, options(queues, interrupts)));
                ports.get(port).start();
            }
            for (int round = 0; round < RESTARTS; round++) {
                load(ports, interrupts);
                if (round % 10 == 9) {
                    int port = random.nextInt(2);
                    ports.get(port).close(); // and its memory is unmapped
                    ports.set(port, adapter.openPort(port, options(queues, interrupts)));
                } else {
                    ports.get(random.nextInt(2)).stop();
                }
                if (reset && round % 4 == 0) {
                    ports.forEach(CorundumNic::stop);
                    device.reset();
                }
                assertThat(device.addressSpace().faultCount()).as("DMA after unmap, round %d", round).isZero();
                ports.forEach(CorundumNic::start);
            }
            everyQueueStillWorks(ports);
            assertThat(ports).extracting(nic -> nic.statistics().get("tx_stale")).as("completions of a former life")
                    .containsOnly(0L);
        }
        assertThat(device.addressSpace().faultCount()).as("DMA after unmap, at the end").isZero();
    }

    @Test
    void whatACardHoldsThatCouldNotSendIsKnownWhenItComes() {
        try (CorundumAdapter adapter = CorundumAdapter.open(device)) {
            CorundumNic nic = adapter.openPort(0, options(1, false));
            nic.start();
            Registers bar = device.registers(0);
            bar.write32(0x81020, MqnicRegisters.PORT_ENABLE | MqnicRegisters.PORT_PAUSE);
            send(nic.txQueue(0), 8);
            traffic.await(() -> bar.read32(0x400010) >>> 16 == 8, "eight fetches");
            nic.stop(); // in vain, and bounded
            nic.start();
            send(nic.txQueue(0), 1);
            traffic.await(() -> nic.txQueue(0).reclaim() == 0 && nic.txQueue(0).inFlight() == 0, "completions");
            assertThat(nic.statistics()).containsEntry("tx_stale", 8L).containsEntry("tx_packets", 9L);
        }
        assertThat(device.addressSpace().faultCount()).isZero();
    }

    /** A few frames, which are waited for, then many both ways on all queues, of which some are taken. */
    private void load(List<CorundumNic> ports, boolean interrupts) {
        for (CorundumNic nic : ports) {
            TxQueue queue = nic.txQueue(random.nextInt(nic.txQueues()));
            send(queue, 1);
            traffic.await(() -> queue.reclaim() == 0 && queue.inFlight() == 0, "completions");
        }
        for (CorundumNic nic : ports) {
            for (int queue = 0; queue < nic.txQueues(); queue++) {
                send(nic.txQueue(queue), random.nextInt(BURST));
            }
        }
        for (CorundumNic nic : ports) {
            RxQueue queue = nic.rxQueue(random.nextInt(nic.rxQueues()));
            if (interrupts) {
                queue.await(20_000);
            }
            queue.poll(batch);
            batch.release();
        }
    }

    private void send(TxQueue queue, int count) {
        queue.allocate(batch, count);
        for (int i = 0; i < batch.size(); i++) {
            batch.setLength(i, 60 + random.nextInt(1400));
        }
        queue.write(batch);
        queue.commit();
        batch.release();
    }

    private void everyQueueStillWorks(List<CorundumNic> ports) {
        for (CorundumNic nic : ports) {
            traffic.flush(nic);
            for (int queue = 0; queue < nic.rxQueues(); queue++) {
                traffic.pending(nic.rxQueue(queue));
            }
        }
        for (int from = 0; from < 2; from++) {
            CorundumNic to = ports.get(1 - from);
            for (int queue = 0; queue < to.txQueues(); queue++) {
                byte[] frame = Traffic.udp(200, queue);
                traffic.send(ports.get(from).txQueue(queue), frame);
                traffic.await(() -> isReceived(to, frame), "a frame of queue " + queue);
            }
        }
    }

    private boolean isReceived(CorundumNic nic, byte[] frame) {
        boolean found = false;
        for (int queue = 0; queue < nic.rxQueues() && !found; queue++) {
            nic.rxQueue(queue).poll(batch);
            for (int i = 0; i < batch.size(); i++) {
                found |= java.util.Arrays.equals(Traffic.bytes(batch, i), frame);
            }
            batch.release();
        }
        return found;
    }
}
