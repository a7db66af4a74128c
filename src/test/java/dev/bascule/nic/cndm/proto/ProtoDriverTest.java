package dev.bascule.nic.cndm.proto;

import static dev.bascule.nic.cndm.proto.ProtoRegisters.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.ForwardingModel;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.CountedWire;
import dev.bascule.model.WireEnd;
import dev.bascule.model.cndm.proto.ProtoCard;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.PacketBatch;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver on the model: rings that wrap, stops, what the card does not check. */
@Timeout(120)
class ProtoDriverTest {
    private static final int PORT = 0x10000;
    private static final long SECOND = 1_000_000_000L;
    private static final NicOptions SMALL = NicOptions.DEFAULTS.withRingEntries(8);

    /** A write to BAR0. */
    private record Write(long offset, int widthBytes, long value) {}

    /** A model that notes what the driver writes. */
    private static final class Spy extends ForwardingModel {
        final Queue<Write> writes = new ConcurrentLinkedQueue<>();

        Spy(DeviceModel model) {
            super(model);
        }

        @Override
        public void write(int bar, long offset, int widthBytes, long value) {
            writes.add(new Write(offset, widthBytes, value));
            super.write(bar, offset, widthBytes, value);
        }
    }

    private static ProtoCard model(WireEnd... wires) {
        return new ProtoCard(List.of(wires).stream().map(CountedWire::new).toList());
    }

    private static NicAdapter open(DeviceModel model) {
        return Nics.open(LoopbackDevice.open(model));
    }

    private static int send(Nic nic, PacketBatch batch, int frames, int first) {
        if (nic.txQueue(0).allocate(batch, frames) == 0) {
            throw new AssertionError("no buffer: " + nic.statistics());
        }
        for (int i = 0; i < batch.size(); i++) {
            batch.setLength(i, 60 + (first + i) % 1000);
            batch.memory().segment().set(ValueLayout.JAVA_INT_UNALIGNED, batch.offset(i) + 14, first + i);
        }
        int sent = nic.txQueue(0).write(batch);
        nic.txQueue(0).commit();
        batch.release();
        return sent;
    }

    /** Sends marked frames to {@code to}, in bursts, and sees each come, in order. */
    private static void pass(Nic from, Nic to, int frames, int burst) {
        PacketBatch batch = new PacketBatch(burst);
        int sent = 0;
        int came = 0;
        while (came < frames) {
            int room = Math.min(burst - (sent - came), frames - sent);
            sent += room > 0 ? send(from, batch, room, sent) : 0;
            to.rxQueue(0).poll(batch);
            for (int i = 0; i < batch.size(); i++, came++) {
                assertThat(batch.memory().segment().get(ValueLayout.JAVA_INT_UNALIGNED, batch.offset(i) + 14))
                        .as("%s", to.statistics()).isEqualTo(came);
                assertThat(batch.length(i)).isEqualTo(60 + came % 1000);
            }
            batch.release();
        }
    }

    @Test
    void pointersAndPhasesWrapOnBothPorts() {
        List<WireEnd> cable = Cables.cross();
        try (NicAdapter card = open(model(cable.get(0), cable.get(1)))) {
            assertThat(card.ports()).isEqualTo(2);
            assertThat(card.clockNanos()).isEmpty();
            Nic left = card.openPort(0, SMALL);
            Nic right = card.openPort(1, SMALL);
            left.start();
            right.start();
            pass(left, right, 70_000, 6); // pointers have 16 bits
            pass(right, left, 1_000, 1);
            left.stop();
            left.start();
            pass(left, right, 100, 8);
        }
    }

    @Test
    void aBurstTakesOneDoorbellAndCompletionQueuesComeFirst() {
        Spy spy = new Spy(model(Cables.loopback()));
        try (NicAdapter card = open(spy)) {
            Nic nic = card.openPort(0, NicOptions.DEFAULTS.withRingEntries(64));
            spy.writes.clear();
            nic.start();
            assertThat(spy.writes.stream().filter(write -> (write.offset() & 0xFF) == CONTROL).map(Write::offset))
                    .containsExactly(PORT + RECEIVE + COMPLETIONS + 0L, PORT + RECEIVE + 0L,
                            PORT + SEND + COMPLETIONS + 0L, PORT + SEND + 0L);
            spy.writes.clear();
            pass(nic, nic, 32 * 64, 32);
            assertThat(spy.writes).allMatch(write -> write.widthBytes() == 4)
                    .allMatch(write -> (write.offset() & 0xFF) == POINTERS);
            assertThat(nic.statistics().get("tx_packets")).isEqualTo(32 * 64);
            assertThat(nic.statistics().get("tx_doorbells"))
                    .isEqualTo(spy.writes.stream().filter(write -> write.offset() == PORT + SEND + POINTERS).count());
        }
    }

    @Test
    void frameThatIsLongerThanItsBufferIsDroppedAndCounted() {
        List<WireEnd> cable = Cables.cross();
        try (NicAdapter card = open(model(cable.get(0)))) {
            Nic nic = card.openPort(0, SMALL);
            nic.start();
            cable.get(1).transmit(new byte[3000], 0, 3000);
            cable.get(1).transmit(new byte[100], 0, 100);
            PacketBatch batch = new PacketBatch(4);
            while (batch.isEmpty()) {
                nic.rxQueue(0).poll(batch);
            }
            assertThat(batch.length(0)).isEqualTo(100);
            assertThat(nic.statistics().get("rx_errors")).isEqualTo(1);
            batch.release();
        }
    }

    @Test
    void nothingIsAllocatedForAFrame() {
        try (NicAdapter card = open(model(Cables.loopback()))) {
            Nic nic = card.openPort(0, NicOptions.DEFAULTS);
            nic.start();
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long thread = Thread.currentThread().threadId();
            PacketBatch batch = new PacketBatch(32);
            double least = Double.MAX_VALUE;
            for (int round = 0; round < 10 && least >= 2; round++) { // until everything is compiled
                long before = threads.getThreadAllocatedBytes(thread);
                int came = 0;
                for (int sent = 0; came < 50_000;) {
                    sent += sent - came < 128 ? send(nic, batch, 32, sent) : 0;
                    came += nic.rxQueue(0).poll(batch);
                    batch.release();
                }
                least = Math.min(least, (threads.getThreadAllocatedBytes(thread) - before) / (double) came);
            }
            assertThat(least).isLessThan(2);
        }
    }

    /** Frames that were sent interrupt, too, and those that were polled before. */
    @Test
    void wakeUpForNothingIsNoFrame() {
        List<WireEnd> cable = Cables.cross();
        try (NicAdapter card = open(model(cable.get(0)))) {
            Nic nic = card.openPort(0, SMALL.withInterrupts());
            nic.start();
            assertThat(nic.capabilities().interrupts()).isTrue();
            PacketBatch batch = new PacketBatch(4);
            for (int round = 0; round < 20; round++) {
                send(nic, batch, 2, 0);
                assertThat(nic.rxQueue(0).await(2_000_000)).as("round %d", round).isFalse();
                cable.get(1).transmit(new byte[64], 0, 64);
                assertThat(nic.rxQueue(0).await(10 * SECOND)).as("round %d", round).isTrue();
                assertThat(nic.rxQueue(0).poll(batch)).isEqualTo(1);
                batch.release();
            }
        }
    }

    @Test
    void twoHundredRestartsUnderLoadLoseNoBuffer() {
        try (NicAdapter card = open(model(Cables.loopback()))) {
            Nic nic = card.openPort(0, SMALL);
            PacketBatch batch = new PacketBatch(8);
            for (int round = 0; round < 200; round++) {
                nic.start();
                for (int burst = 0; burst < 4; burst++) {
                    send(nic, batch, 4, 0);
                    nic.rxQueue(0).poll(batch);
                    batch.release();
                }
                nic.stop();
            }
            nic.start();
            pass(nic, nic, 100, 8);
        }
    }

    /** The other port's queues, too: with bus mastering on they would reach memory that is another's by now. */
    @Test
    void whatAKilledProgramLeftIsEndedAtOpen() {
        Spy spy = new Spy(model(Cables.loopback(), Cables.loopback()));
        for (int port = 1; port <= 2; port++) {
            for (int queue = SEND; queue <= RECEIVE + COMPLETIONS; queue += 0x100) {
                spy.write(0, port * PORT + queue, 4, ENABLE | 3 << SIZE_SHIFT);
                spy.write(0, port * PORT + queue + POINTERS, 4, 5);
            }
        }
        try (NicAdapter card = open(spy)) {
            for (int queue = SEND; queue <= RECEIVE + COMPLETIONS; queue += 0x100) {
                assertThat(spy.read(0, 2 * PORT + queue, 4) & ENABLE).isZero();
            }
            Nic nic = card.openPort(0, SMALL);
            nic.start();
            pass(nic, nic, 20, 4);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 9 })
    void portsThatNoDesignHasAreRefused(int ports) {
        ForwardingModel odd = new ForwardingModel(model(WireEnd.OPEN)) {
            @Override
            public long read(int bar, long offset, int widthBytes) {
                return offset == PORTS ? ports : super.read(bar, offset, widthBytes);
            }
        };
        assertThatThrownBy(() -> open(odd)).isInstanceOf(DeviceFormatException.class)
                .hasMessageContaining(ports + " ports");
    }
}
