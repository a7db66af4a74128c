package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.ModelTiming;
import dev.bascule.nic.corundum.MqnicRegisters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What takes the design's cycles, and the faults that come with them [reference 18]; the clock stands until it is set. */
class RtlTimingTest {
    private static final long BUFFER = Rig.BUFFERS + 0x8000_0000L;
    private static final int PART = 1216;

    private final Rig rig = new Rig(Rig.small().timing(ModelTiming.RTL).build()).ready();

    /** Lets so many cycles pass and everything happen that they bring. */
    private List<String> after(int cycles) {
        rig.nanos += cycles * ModelTiming.CYCLE_NANOS;
        return rig.run();
    }

    private List<String> afterAll() {
        List<String> done = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            done.addAll(after(Cycles.HOST_READ));
        }
        return done;
    }

    private int status(int workQueue) {
        return rig.r(workQueue + 8);
    }

    private int consumer(int workQueue) {
        return rig.r(workQueue + 16) >>> 16;
    }

    private int sum(int completion) {
        byte[] record = rig.get(Rig.CQ_RING + completion * 32L, 32);
        return record[14] & 0xFF | (record[15] & 0xFF) << 8;
    }

    private static int sum(byte[] frame) {
        return InternetSum.sum(frame, 14, frame.length - 14);
    }

    @Test
    void aFrameIsFetchedReadSentAndReportedEachInItsTime() {
        rig.transmitDescriptor(0, 0, Rig.frame(60), 0);
        rig.producer(Rig.TXQ, 1);
        assertThat(rig.run()).isEmpty();
        assertThat(status(Rig.TXQ) & MqnicRegisters.WORK_QUEUE_STATUS_ACTIVE).as("a fetch is under way").isNotZero();
        assertThat(consumer(Rig.TXQ)).isZero();
        assertThat(after(Cycles.HOST_READ - 1)).isEmpty();
        assertThat(after(1)).containsExactly("tx0 desc 400000 16");
        assertThat(status(Rig.TXQ) & MqnicRegisters.WORK_QUEUE_STATUS_ACTIVE).isZero();
        assertThat(consumer(Rig.TXQ)).as("fetched, not sent").isEqualTo(1);
        assertThat(after(Cycles.HOST_READ - 1)).isEmpty();
        assertThat(after(1)).containsExactly("tx0 data 100000000 60", "wire0 60");
        assertThat(rig.device.isWaitingForTime()).isTrue();
        assertThat(after(Cycles.wire(60) + Cycles.REPORT - 1)).isEmpty();
        assertThat(after(1)).containsExactly("cq1 210000");
        assertThat(rig.device.isWaitingForTime()).isFalse();
    }

    @Test
    void aDisabledQueueStillSendsWhatWasFetchedAndAClosedPortHoldsIt() {
        for (int i = 0; i < 4; i++) {
            rig.transmitDescriptor(0, i, Rig.frame(60 + i), 0);
        }
        rig.producer(Rig.TXQ, 4);
        rig.run();
        rig.w(Rig.PORT0 + 0x10, 0);
        rig.w(Rig.TXQ + 8, 0x40000100);
        assertThat(afterAll()).filteredOn(line -> line.contains("wire") || line.startsWith("cq")).isEmpty();
        int taken = consumer(Rig.TXQ);
        assertThat(taken).isPositive();
        assertThat(rig.device.isWaitingForTime()).as("nothing goes on by itself").isFalse();
        rig.openTxq(0, 4, 0, 1); // a new life begins at 0
        rig.w(Rig.PORT0 + 0x10, 1);
        assertThat(afterAll()).filteredOn(line -> line.startsWith("cq1")).hasSize(taken);
        assertThat(rig.get(Rig.CQ_RING + 0x1_0000L + 32L * (taken - 1), 4)[2]).as("at its old position")
                .isEqualTo((byte) (taken - 1));
    }

    @Test
    void aReceivedFrameIsCompletedAfterItsDataIsWritten() {
        rig.post(1, 2048);
        rig.receive(0, Rig.frame(60));
        assertThat(rig.run()).isEmpty();
        assertThat(status(Rig.RXQ) & MqnicRegisters.WORK_QUEUE_STATUS_ACTIVE).isNotZero();
        assertThat(after(Cycles.HOST_READ)).containsExactly("rx0 desc 600000 16", "rx0 data 180000000 60");
        assertThat(consumer(Rig.RXQ)).isEqualTo(1);
        assertThat(after(Cycles.HOST_WRITE - 1)).isEmpty();
        assertThat(after(1)).containsExactly("cq0 200000");
    }

    /** A block of eight buffers and a frame that needs {@code parts} of them. */
    private byte[] scatter(int parts) {
        rig.openRxq(0, 1, 3, 0);
        for (int i = 0; i < 16; i++) {
            rig.descriptor(Rig.RX_RING + i * 16L, 0, PART, BUFFER + i * 0x1000L);
        }
        rig.producer(Rig.RXQ, 2);
        byte[] frame = Rig.frame(Math.min(9214, parts * PART));
        rig.receive(0, frame);
        rig.run(); // it begins now
        after(Cycles.HOST_READ);
        return frame;
    }

    private boolean isWritten(byte[] frame, int part) {
        int from = part * PART;
        int to = Math.min(frame.length, from + PART);
        return Arrays.equals(rig.get(BUFFER + part * 0x1000L, to - from), Arrays.copyOfRange(frame, from, to));
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 5 })
    void upToFiveBuffersAFrameAreFilledBeforeItsCompletion(int parts) {
        byte[] frame = scatter(parts);
        assertThat(after(Cycles.HOST_WRITE)).contains("cq0 200000");
        assertThat(isWritten(frame, parts - 1)).isTrue();
    }

    @Test
    void ofSixTheLastIsWrittenBehindTheCompletion() {
        byte[] frame = scatter(6);
        assertThat(after(Cycles.HOST_WRITE)).contains("cq0 200000");
        assertThat(isWritten(frame, 4)).isTrue();
        assertThat(isWritten(frame, 5)).as("old bytes").isFalse();
        after(Cycles.HOST_WRITE);
        assertThat(isWritten(frame, 5)).isTrue();
    }

    @Test
    void sevenEndReceivingOnTheWholeInterface() {
        scatter(7);
        rig.receive(1, Rig.frame(60));
        assertThat(afterAll()).filteredOn(line -> line.startsWith("cq")).isEmpty();
        assertThat(rig.device.isWaitingForTime()).isFalse();
    }

    @Test
    void ofEightTheLastIsNeverWritten() {
        byte[] frame = scatter(8);
        assertThat(afterAll()).contains("cq0 200000");
        assertThat(isWritten(frame, 6)).isTrue();
        assertThat(isWritten(frame, 7)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = { 1518, 9214 })
    void aLongFrameWithoutADescriptorShiftsEveryLaterChecksumIfItIsBeyondTheRegister(int mtu) {
        rig.w(Rig.CSR + MqnicRegisters.INTERFACE_RX_MTU, mtu);
        byte[] jumbo = Rig.frame(9214);
        rig.receive(0, jumbo);
        afterAll();
        rig.post(3, 2048);
        byte[][] frames = { Rig.frame(60), Rig.frame(61), Rig.frame(62) };
        for (byte[] frame : frames) {
            rig.receive(0, frame);
        }
        afterAll();
        if (mtu == 9214) {
            assertThat(List.of(sum(0), sum(1), sum(2))).containsExactly(sum(frames[0]), sum(frames[1]), sum(frames[2]));
        } else {
            assertThat(List.of(sum(0), sum(1), sum(2))).containsExactly(sum(jumbo), sum(frames[0]), sum(frames[1]));
            rig.device.reset();
            rig.ready();
            rig.post(4, 2048);
            rig.receive(0, frames[2]);
            afterAll();
            assertThat(sum(0)).as("after a reset").isEqualTo(sum(frames[2]));
        }
    }

    @Test
    void aResetForgetsWhatIsUnderWay() {
        rig.transmitDescriptor(0, 0, Rig.frame(60), 0);
        rig.producer(Rig.TXQ, 1);
        rig.post(1, 2048);
        rig.receive(0, Rig.frame(60));
        rig.run();
        rig.device.reset();
        assertThat(afterAll()).isEmpty();
        assertThat(status(Rig.TXQ) & MqnicRegisters.WORK_QUEUE_STATUS_ACTIVE).isZero();
        assertThat(status(Rig.RXQ) & MqnicRegisters.WORK_QUEUE_STATUS_ACTIVE).isZero();
        assertThat(rig.device.isWaitingForTime()).isFalse();
    }
}
