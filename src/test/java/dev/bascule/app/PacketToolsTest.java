package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.corundum.CorundumAdapter;
import dev.bascule.nic.corundum.CorundumNic;
import dev.bascule.nic.corundum.CorundumOptions;
import dev.bascule.ring.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Generator, receiver and forwarder on a loopback card that works when it is told to. */
@Timeout(60)
class PacketToolsTest {
    private final VirtualClock clock = new VirtualClock(5_000_000);
    private final List<Long> latencies = new ArrayList<>();
    private CorundumModel model = new CorundumModel(CorundumConfig.builder().build(), Cables.cross(), false);
    private CorundumAdapter adapter = CorundumAdapter.open(LoopbackDevice.open(model));

    private CorundumNic port(int number) {
        CorundumNic nic = adapter.openPort(number, CorundumOptions.DEFAULTS.withRingEntries(64));
        nic.start();
        return nic;
    }

    private void settle() {
        while (model.poll() != 0) {
            Thread.onSpinWait();
        }
    }

    @AfterEach
    void close() {
        adapter.close();
    }

    @Test
    void aRateIsKeptOverTheWholeTime() {
        Generator generator = new Generator(port(0).txQueue(0), List.of(Probe.frame(64)), Pace.rate(1_000_000), 0, true,
                32,
                clock);
        assertThat(generator.run()).as("the first is due at once").isEqualTo(1);
        assertThat(generator.run()).isZero();
        for (int i = 0; i < 100; i++) {
            clock.advance(10_000);
            generator.run();
            settle();
        }
        assertThat(generator.sent()).isEqualTo(1001);
        assertThat(generator.bytes()).isEqualTo(1001 * 64);
        assertThat(generator.isDone()).isFalse();
    }

    @Test
    void lossOrderAndLatencyAreKnownAtTheOtherEnd() {
        CorundumNic left = port(0);
        Generator generator = new Generator(left.txQueue(0), List.of(Probe.frame(64), Probe.frame(100)),
                Pace.AS_FAST_AS_POSSIBLE, 50, true,
                16,
                clock);
        Receiver receiver = new Receiver(port(1).rxQueue(0), 16, clock, latencies::add);
        while (!generator.isDone()) {
            generator.run();
            settle();
            clock.advance(700);
            receiver.run();
        }
        settle();
        while (receiver.run() != 0) {
            settle();
        }
        assertThat(receiver.received()).isEqualTo(50);
        assertThat(receiver.bytes()).isEqualTo(25 * 164).isEqualTo(generator.bytes());
        assertThat(receiver.outOfOrder()).isZero();
        assertThat(latencies).hasSize(50).allMatch(nanos -> nanos >= 700 && nanos % 700 == 0);
    }

    @Test
    void aFullRingIsWaitedFor() {
        Generator generator = new Generator(port(0).txQueue(0), List.of(Probe.frame(64)),
                Pace.AS_FAST_AS_POSSIBLE, 500, true, 32, clock);
        int idle = 0;
        while (idle++ < 50) {
            generator.run();
        }
        assertThat(generator.sent()).as("the ring, and no more").isEqualTo(64);
        while (!generator.isDone()) {
            settle();
            generator.run();
        }
        assertThat(generator.bytes()).isEqualTo(500 * 64);
    }

    @Test
    void framesThatDoNotFitAreRefused() {
        CorundumNic nic = port(0);
        assertThatThrownBy(
                () -> new Generator(nic.txQueue(0), List.of(new byte[2049]), Pace.rate(0), 0, false, 32, clock))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("2049");
        assertThatThrownBy(() -> Probe.frame(57)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("58");
    }

    @Test
    void theForwarderGoesBothWays() {
        adapter.close();
        WireEnd[] far = new WireEnd[2];
        List<WireEnd> wires = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            List<WireEnd> cable = Cables.cross();
            wires.add(cable.get(0));
            far[i] = cable.get(1);
        }
        model = new CorundumModel(CorundumConfig.builder().build(), wires, false);
        adapter = CorundumAdapter.open(LoopbackDevice.open(model));
        Forwarder forwarder = new Forwarder(port(0), port(1), 32);
        byte[] frame = Probe.frame(60);
        int[] arrived = new int[2];
        for (int i = 0; i < 500; i++) {
            far[0].transmit(frame, 0, 60);
            far[1].transmit(frame, 0, 50);
            settle();
            forwarder.run();
            settle();
            for (int end = 0; end < 2; end++) {
                int lengthBytes = end == 0 ? 50 : 60;
                int number = end;
                far[end].poll((data, offset, length) -> {
                    assertThat(length).isEqualTo(lengthBytes);
                    arrived[number]++;
                }, 10);
            }
        }
        assertThat(arrived).containsExactly(500, 500);
        assertThat(forwarder.packets()).isEqualTo(1000);
        assertThat(forwarder.noRoom()).isZero();
    }
}
