package dev.bascule.nic.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.bascule.config.ModelTiming;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.ForwardingModel;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.CountedWire;
import dev.bascule.model.WireEnd;
import dev.bascule.model.cndm.CndmCard;
import dev.bascule.model.cndm.CndmConfig;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.Refusal;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver on the model: rings that wrap, stops, what a card does not check, its clock. */
@Timeout(120)
class CndmDriverTest {
    private static final long SECOND = 1_000_000_000L;
    private static final NicOptions SMALL = NicOptions.DEFAULTS.withRingEntries(8);

    /** A write to BAR0. */
    private record Write(long offset, int widthBytes, long value) {}

    /** A model that notes what the driver writes, and how wide it reads. */
    private static class Spy extends ForwardingModel {
        final Queue<Write> writes = new ConcurrentLinkedQueue<>();
        volatile int widestRead;

        Spy(DeviceModel model) {
            super(model);
        }

        @Override
        public long read(int bar, long offset, int widthBytes) {
            widestRead = Math.max(widestRead, widthBytes);
            return super.read(bar, offset, widthBytes);
        }

        @Override
        public void write(int bar, long offset, int widthBytes, long value) {
            writes.add(new Write(offset, widthBytes, value));
            super.write(bar, offset, widthBytes, value);
        }
    }

    private static CndmCard model(WireEnd... wires) {
        return new CndmCard(CndmConfig.MICRO.withPorts(wires.length),
                List.of(wires).stream().map(CountedWire::new).toList());
    }

    private static NicAdapter open(DeviceModel model) {
        return Nics.open(LoopbackDevice.open(model));
    }

    /** Sends marked frames to {@code to}, in bursts, and sees each come, in order. */
    private static void pass(Nic from, Nic to, int frames, int burst) {
        PacketBatch out = new PacketBatch(burst);
        PacketBatch in = new PacketBatch(burst);
        int sent = 0;
        int came = 0;
        while (came < frames) {
            if (sent < frames && sent - came < burst && out.isEmpty()) {
                from.txQueue(0).allocate(out, Math.min(burst - (sent - came), frames - sent));
                for (int i = 0; i < out.size(); i++) {
                    out.setLength(i, 60 + (sent + i) % 1000);
                    out.memory().segment().set(ValueLayout.JAVA_INT_UNALIGNED, out.offset(i) + 14, sent + i);
                }
                sent += out.size();
            }
            from.txQueue(0).write(out);
            from.txQueue(0).commit();
            to.rxQueue(0).poll(in);
            for (int i = 0; i < in.size(); i++, came++) {
                assertThat(in.memory().segment().get(ValueLayout.JAVA_INT_UNALIGNED, in.offset(i) + 14))
                        .as("%s", to.statistics()).isEqualTo(came);
                assertThat(in.length(i)).isEqualTo(60 + came % 1000);
            }
            in.release();
        }
    }

    @Test
    void pointersAndPhasesWrapOnBothPorts() {
        List<WireEnd> cable = Cables.cross();
        try (NicAdapter card = open(model(cable.get(0), cable.get(1)))) {
            assertThat(card.ports()).isEqualTo(2);
            Nic left = card.openPort(0, SMALL);
            Nic right = card.openPort(1, SMALL);
            left.start();
            right.start();
            pass(left, right, 70_000, 6); // pointers have 16 bits
            pass(right, left, 1_000, 1);
            left.stop();
            pass(right, right, 0, 1);
            left.start();
            pass(left, right, 100, 8);
        }
    }

    @Test
    void everyAccessIsOneWordAndABurstTakesOneDoorbell() {
        Spy spy = new Spy(model(Cables.loopback()));
        try (NicAdapter card = open(spy)) {
            Nic nic = card.openPort(0, NicOptions.DEFAULTS.withRingEntries(64));
            nic.start();
            spy.writes.clear();
            pass(nic, nic, 32 * 64, 32);
            assertThat(spy.writes).allMatch(write -> write.widthBytes() == 4);
            assertThat(spy.widestRead).isEqualTo(4);
            long sends = spy.writes.stream().filter(write -> write.offset() == CndmCommands.doorbell(SEND_QUEUE, 0, 0)
                    || write.offset() == CndmCommands.doorbell(SEND_QUEUE, 0, 1)).count();
            assertThat(nic.statistics().get("tx_packets")).isEqualTo(32 * 64);
            assertThat(nic.statistics().get("tx_doorbells")).isLessThanOrEqualTo(sends);
            // acknowledged by half a ring at a time
            long acknowledged = spy.writes.stream()
                    .filter(write -> (write.offset() & PORT_STRIDE - 1) >= NOTIFY_WINDOW).count();
            assertThat(acknowledged).isPositive().isLessThanOrEqualTo(2 * 64 + 2);
        }
    }

    @Test
    void lengthsThatWouldStopThePortNeverReachTheCard() {
        try (NicAdapter card = open(model(Cables.loopback()))) {
            Nic nic = card.openPort(0, NicOptions.DEFAULTS.withMaxFrameBytes(60_000));
            nic.start();
            assertThat(nic.maxFrameBytes()).isEqualTo(2048);
            PacketBatch batch = new PacketBatch(2);
            nic.txQueue(0).allocate(batch, 2);
            batch.setLength(0, 0);
            batch.setLength(1, 13);
            assertThat(nic.txQueue(0).write(batch)).isZero();
            assertThat(nic.txQueue(0).refusal(batch.memory().segment(), 0, 16_385)).isEqualTo(Refusal.TOO_LONG);
            pass(nic, nic, 10, 2);
        }
    }

    @Test
    void frameThatIsLongerThanItsBufferIsDroppedAndCounted() {
        byte[] frame = new byte[3000];
        List<WireEnd> cable = Cables.cross();
        try (NicAdapter card = open(model(cable.get(0)))) {
            Nic nic = card.openPort(0, SMALL);
            nic.start();
            cable.get(1).transmit(frame, 0, frame.length);
            cable.get(1).transmit(frame, 0, 100);
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
    void frameThatIsLongerThanTheReceivingPortsLimitIsDroppedAndCounted() {
        List<WireEnd> cable = Cables.cross();
        try (NicAdapter card = open(model(cable.get(0)))) {
            Nic nic = card.openPort(0, SMALL);
            nic.setMaxFrameBytes(600);
            nic.start();
            cable.get(1).transmit(new byte[601], 0, 601);
            cable.get(1).transmit(new byte[600], 0, 600);
            PacketBatch batch = new PacketBatch(4);
            while (batch.isEmpty()) {
                nic.rxQueue(0).poll(batch);
            }
            assertThat(batch.length(0)).isEqualTo(600);
            assertThat(nic.statistics().get("rx_errors")).isEqualTo(1);
            batch.release();
        }
    }

    /** An object for each doorbell of a burst would be more than two bytes a frame; waiting for the model's lock takes less. */
    @Test
    void nothingIsAllocatedForAFrame() {
        try (NicAdapter card = open(model(Cables.loopback()))) {
            Nic nic = card.openPort(0, NicOptions.DEFAULTS.withTimestamps());
            nic.start();
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long thread = Thread.currentThread().threadId();
            PacketBatch batch = new PacketBatch(32);
            double least = Double.MAX_VALUE;
            for (int round = 0; round < 10 && least >= 1; round++) { // until everything is compiled
                long before = threads.getThreadAllocatedBytes(thread);
                int came = 0;
                for (int sent = 0; came < 50_000;) {
                    if (sent - came < 128) {
                        nic.txQueue(0).allocate(batch, 32);
                        for (int i = 0; i < batch.size(); i++) {
                            batch.setLength(i, 60);
                        }
                        sent += nic.txQueue(0).write(batch);
                        nic.txQueue(0).commit();
                        batch.release();
                    }
                    came += nic.rxQueue(0).poll(batch);
                    batch.release();
                }
                least = Math.min(least, (threads.getThreadAllocatedBytes(thread) - before) / (double) came);
            }
            assertThat(least).isLessThan(2);
        }
    }

    /** The card remembers entries, not pointers: an interrupt may come for what was polled before. */
    @Test
    void wakeUpForNothingIsNoFrame() {
        List<WireEnd> cable = Cables.cross();
        try (NicAdapter card = open(model(cable.get(0)))) {
            Nic nic = card.openPort(0, SMALL.withInterrupts());
            nic.start();
            assertThat(nic.capabilities().interrupts()).isTrue();
            PacketBatch batch = new PacketBatch(4);
            for (int round = 0; round < 20; round++) {
                cable.get(1).transmit(new byte[64], 0, 64);
                while (nic.rxQueue(0).poll(batch) == 0) {
                    Thread.onSpinWait();
                }
                batch.release();
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
                    assertThat(nic.txQueue(0).allocate(batch, 4)).as("round %d", round).isPositive();
                    for (int i = 0; i < batch.size(); i++) {
                        batch.setLength(i, 200);
                    }
                    nic.txQueue(0).write(batch);
                    nic.txQueue(0).commit();
                    batch.release();
                    nic.rxQueue(0).poll(batch);
                    batch.release();
                }
                nic.stop();
                assertThat(nic.txQueue(0).inFlight()).isZero();
            }
        }
    }

    /** A program that was killed leaves its queues; the card gives out 32 numbers a port. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 40 })
    void queuesThatAKilledProgramLeftAreFreed(int times) {
        LoopbackDevice device = LoopbackDevice.open(model(Cables.loopback()));
        for (int i = 0; i < times; i++) {
            new dev.bascule.nic.cndm.CndmCard(device).port(0, SMALL).start(false); // and is never stopped
        }
        try (NicAdapter card = Nics.open(device)) {
            Nic nic = card.openPort(0, SMALL);
            nic.start();
            pass(nic, nic, 100, 4);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, 255, 256, 32_767, 32_768, 1_764_543_210L, (1L << 33) - 5 })
    void stampsAreWholeWhateverTheSeconds(long seconds) {
        try (NicAdapter card = open(model(Cables.loopback()))) {
            card.setClockNanos(seconds * SECOND + 999_000_000);
            Nic nic = card.openPort(0, SMALL.withTimestamps());
            nic.start();
            List<Long> sent = new ArrayList<>();
            nic.txQueue(0).onSent((number, nanos) -> sent.add(nanos));
            PacketBatch batch = new PacketBatch(1);
            nic.txQueue(0).allocate(batch, 1);
            batch.setLength(0, 60);
            long before = card.clockNanos().orElseThrow();
            nic.txQueue(0).write(batch);
            nic.txQueue(0).commit();
            while (nic.rxQueue(0).poll(batch) == 0 | nic.txQueue(0).reclaim() == 0 & sent.isEmpty()) {
                Thread.onSpinWait();
            }
            long after = card.clockNanos().orElseThrow();
            assertThat(batch.timestampNanos(0) - before).isBetween(0L, after - before);
            assertThat(sent.getFirst() - before).isBetween(0L, after - before);
            batch.release();
        }
    }

    @Test
    void clockThatIsSetShowsItAndStampsFollow() {
        try (NicAdapter card = open(new CndmCard(CndmConfig.MICRO.withPorts(1).withTiming(ModelTiming.RTL),
                List.of(new CountedWire(Cables.loopback()))))) {
            Nic nic = card.openPort(0, SMALL.withTimestamps());
            nic.start();
            PacketBatch batch = new PacketBatch(1);
            for (long nanos : new long[] { 5_000 * SECOND, 7, 1_764_543_210L * SECOND + 999_999_999 }) {
                card.setClockNanos(nanos);
                assertThat(card.clockNanos().orElseThrow() - nanos).isBetween(0L, 5 * SECOND);
                nic.txQueue(0).allocate(batch, 1);
                batch.setLength(0, 60);
                nic.txQueue(0).write(batch);
                nic.txQueue(0).commit();
                while (nic.rxQueue(0).poll(batch) == 0) {
                    Thread.onSpinWait();
                }
                assertThat(batch.timestampNanos(0) - nanos).isBetween(0L, 5 * SECOND);
                batch.release();
                nic.txQueue(0).reclaim();
            }
            assertThatThrownBy(() -> card.setClockNanos(-1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void clockThatDoesNotTakeATimeIsTold() {
        Unwilling model = new Unwilling(model(WireEnd.OPEN), CLOCK_ACCESS, 0);
        model.isOn = false;
        try (NicAdapter card = open(model)) {
            model.isOn = true;
            assertThatThrownBy(() -> card.setClockNanos(5_000 * SECOND)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("does not show");
        }
    }

    @Test
    void portHasTheAddressOfItsBoardIfThereIsOne() {
        try (NicAdapter card = open(model(WireEnd.OPEN, WireEnd.OPEN))) {
            assertThat(card.openPort(1, SMALL).macAddress().orElseThrow()).hasToString("02:00:00:00:00:02");
        }
        CndmConfig bare = CndmConfig.MICRO.withPorts(1).withMacAddress(0);
        try (NicAdapter card = open(new CndmCard(bare, List.of(new CountedWire(WireEnd.OPEN))))) {
            assertThat(card.openPort(0, SMALL).macAddress()).isEqualTo(Optional.empty());
        }
    }

    @Test
    void portsAreOpenedOnceAndAgainAfterAClose() {
        try (NicAdapter card = open(model(Cables.loopback(), WireEnd.OPEN))) {
            Nic nic = card.openPort(0, SMALL);
            assertThatThrownBy(() -> card.openPort(0, SMALL)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("open already");
            assertThatThrownBy(() -> card.openPort(1, SMALL.withQueues(2, 1))).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("one each way");
            assertThatThrownBy(() -> card.openPort(2, SMALL)).isInstanceOf(IndexOutOfBoundsException.class);
            nic.close();
            Nic again = card.openPort(0, SMALL);
            again.start();
            pass(again, again, 20, 4);
        }
    }

    @Test
    void dumpShowsDesignClockAndTheQueuesInUse() {
        LoopbackDevice device = LoopbackDevice.open(model(Cables.loopback()));
        try (NicAdapter card = Nics.open(device)) {
            Nic nic = card.openPort(0, SMALL);
            nic.start();
            pass(nic, nic, 5, 1);
            Map<String, Map<String, String>> dump = CndmDump.of(device, false);
            assertThat(dump.keySet()).contains("design", "clock", "port 0", "port 0 send queue 1",
                    "port 0 receive queue 0", "port 0 completion queue 0", "port 0 completion queue 1");
            assertThat(dump.get("design")).containsEntry("profile", "micro").containsEntry("ports", "1");
            assertThat(dump.get("clock")).containsEntry("period", "4.0 ns");
            assertThat(dump.get("port 0")).containsEntry("sends from", "1");
            assertThat(dump.get("port 0 send queue 1")).containsEntry("producer", "5").containsEntry("consumer", "5");
            assertThat(CndmDump.of(device, true)).hasSize(3 + 2 * QUEUES);
        }
    }

    @Test
    void commandsOfAnotherVersionAreRefusedByName() {
        Spy old = new Spy(model(WireEnd.OPEN)) {
            @Override
            public long read(int bar, long offset, int widthBytes) {
                return offset == MAILBOX + 4L * (MAILBOX_WORDS + 3) ? 0x100000 : super.read(bar, offset, widthBytes);
            }
        };
        assertThatThrownBy(() -> open(old)).isInstanceOf(DeviceFormatException.class)
                .hasMessageContaining("version 0x100000");
    }

    /** A card that answers a command with this status, and does not carry it out. */
    private static final class Unwilling extends Spy {
        final int operation;
        final int status;
        volatile boolean isOn = true;
        private int asked;

        Unwilling(DeviceModel model, int operation, int status) {
            super(model);
            this.operation = operation;
            this.status = status;
        }

        @Override
        public void write(int bar, long offset, int widthBytes, long value) {
            asked = offset == MAILBOX ? (int) value >>> 16 : asked;
            super.write(bar, offset, widthBytes,
                    offset == MAILBOX && isOn && asked == operation ? NO_OPERATION << 16 : value);
        }

        @Override
        public long read(int bar, long offset, int widthBytes) {
            long answer = super.read(bar, offset, widthBytes);
            return isOn && asked == operation && offset == MAILBOX + 4L * MAILBOX_WORDS
                    ? answer & 0xFFFF | (long) status << 16
                    : answer;
        }
    }

    @Test
    void designWithoutClockIsRefusedSinceItsPortsLieElsewhere() {
        assertThatThrownBy(() -> open(new Unwilling(model(WireEnd.OPEN), CLOCK_ACCESS, 0x5F)))
                .isInstanceOf(DeviceFormatException.class).hasMessageContaining("no PTP clock");
    }

    /** A queue of the run before must not be touched: its number is another's by now, or nobody's. */
    @Test
    void queueThatCannotBeCreatedIsToldAndTheOtherPortGoesOn() {
        List<WireEnd> cable = Cables.cross();
        Unwilling model = new Unwilling(model(cable.get(0), cable.get(1)), CREATE + KIND_STEP * SEND_QUEUE, 0x0C);
        model.isOn = false;
        try (NicAdapter card = open(model)) {
            Nic left = card.openPort(0, SMALL);
            Nic right = card.openPort(1, SMALL);
            left.start();
            right.start();
            pass(left, right, 137, 4);
            left.stop();
            model.isOn = true;
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(left::start).isInstanceOf(DeviceException.class).hasMessageContaining("status 0xc");
            }
            model.isOn = false;
            left.start();
            pass(right, left, 137, 4);
        }
    }

    @Test
    void mailboxThatStaysBusyIsToldAndNotWaitedForForever() {
        Spy busy = new Spy(model(WireEnd.OPEN)) {
            @Override
            public long read(int bar, long offset, int widthBytes) {
                return offset == MAILBOX_CONTROL ? 1 : super.read(bar, offset, widthBytes);
            }
        };
        assertThatThrownBy(() -> open(busy)).isInstanceOf(DeviceException.class).hasMessageContaining("stays busy");
    }
}
