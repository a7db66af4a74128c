package dev.bascule.nic.corundum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.DeviceException;
import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumConfigBuilder;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.ProcessorLoop;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the driver does on any backing: two ports of one card with a cable between them. */
@Timeout(60)
abstract class CorundumDriverContract {
    static final CorundumOptions SMALL = CorundumOptions.DEFAULTS.withRingEntries(32);

    private Rig rig;
    private Traffic traffic;
    private CorundumAdapter adapter;
    private CorundumNic left;
    private CorundumNic right;

    /** A device of this design with these wires. */
    abstract Rig rig(CorundumConfig config, List<WireEnd> wires) throws Exception;

    /** Changes to the design, for variants of a backing. */
    CorundumConfigBuilder design() {
        return CorundumConfig.builder().completionQueues(256).txQueues(64).rxQueues(64).timing(ModelTiming.RTL);
    }

    private void open(CorundumOptions options) throws Exception {
        rig = rig(design().build(), Cables.cross());
        traffic = new Traffic(rig);
        adapter = CorundumAdapter.open(rig.backing());
        left = adapter.openPort(0, options);
        right = adapter.openPort(1, options);
        left.start();
        right.start();
        traffic.await(() -> left.link().up() && right.link().up(), "the links, which come up a while after a reset");
    }

    @AfterEach
    void close() {
        if (adapter != null) {
            adapter.close();
            adapter.close();
        }
        if (rig != null) {
            rig.close();
        }
    }

    @Test
    void findsWhatTheDesignHas() throws Exception {
        open(SMALL);
        assertThat(adapter.ports()).isEqualTo(2);
        assertThat(left.capabilities().maxRxQueues()).isEqualTo(32);
        assertThat(left.capabilities().maxFrameBytes()).isEqualTo(9214);
        assertThat(left.capabilities().receiveSideScaling()).isTrue();
        assertThat(left.capabilities().filtersAddresses()).isFalse();
        assertThat(left.link().up()).isTrue();
        assertThat(left.name()).contains("port 0");
        assertThatThrownBy(() -> adapter.openPort(0, SMALL)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("open already");
        assertThatThrownBy(() -> left.rxQueue(1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void framesOfEveryLengthArriveUnchangedAndInOrder() throws Exception {
        open(SMALL);
        byte[][] frames = IntStream.iterate(14, n -> n <= 1518, n -> n + 13).mapToObj(n -> Traffic.frame(n, 1))
                .toArray(byte[][]::new);
        for (int from = 0; from < frames.length; from += 16) {
            byte[][] some = Arrays.copyOfRange(frames, from, Math.min(from + 16, frames.length));
            traffic.send(left.txQueue(0), some);
            assertThat(traffic.receive(right.rxQueue(0), some.length)).containsExactly(some);
        }
        assertThat(right.statistics().get("rx_packets")).isEqualTo(frames.length);
        assertThat(left.statistics().get("tx_bytes"))
                .isEqualTo(Arrays.stream(frames).mapToLong(frame -> frame.length).sum());
    }

    @Test
    void ringsGoRoundManyTimesBothWays() throws Exception {
        open(SMALL);
        for (int round = 0; round < 40; round++) {
            byte[][] some = new byte[16][];
            for (int i = 0; i < some.length; i++) {
                some[i] = Traffic.frame(60 + i, round);
            }
            traffic.send(left.txQueue(0), some);
            traffic.send(right.txQueue(0), some);
            assertThat(traffic.receive(right.rxQueue(0), 16)).containsExactly(some);
            assertThat(traffic.receive(left.rxQueue(0), 16)).containsExactly(some);
        }
        assertThat(left.statistics()).containsEntry("rx_packets", 640L).containsEntry("rx_errors", 0L)
                .containsEntry("tx_errors", 0L);
    }

    @Test
    void aFullRingRefusesAndGoesOnWhenThereIsRoom() throws Exception {
        open(SMALL);
        PacketBatch batch = new PacketBatch(64);
        assertThat(left.txQueue(0).allocate(batch, 64)).isEqualTo(64);
        for (int i = 0; i < 64; i++) {
            batch.setLength(i, 60 + i);
        }
        assertThat(left.txQueue(0).write(batch)).as("nothing was committed, so nothing can be reclaimed").isEqualTo(32);
        assertThat(batch.size()).isEqualTo(32);
        assertThat(batch.length(0)).isEqualTo(92);
        assertThat(left.txQueue(0).commit()).isEqualTo(32);
        assertThat(left.txQueue(0).commit()).isZero();
        traffic.flush(left);
        assertThat(left.txQueue(0).write(batch)).isEqualTo(32);
        left.txQueue(0).commit();
        traffic.flush(left);
        assertThat(left.txQueue(0).inFlight()).isZero();
        assertThat(left.statistics().get("tx_no_room")).isPositive();
    }

    @Test
    void aReceivedBufferIsForwardedWithoutACopy() throws Exception {
        open(SMALL);
        byte[] frame = Traffic.frame(100, 3);
        for (int round = 0; round < 100; round++) { // far more often than there are buffers
            traffic.send(left.txQueue(0), frame, frame, frame, frame, frame, frame, frame, frame);
            PacketBatch batch = new PacketBatch(32);
            traffic.fill(right.rxQueue(0), batch, 8);
            batch.memory().segment().set(ValueLayout.JAVA_BYTE, batch.offset(0), (byte) round);
            assertThat(right.txQueue(0).write(batch)).isEqualTo(8);
            assertThat(batch.isEmpty()).isTrue();
            right.txQueue(0).commit();
            List<byte[]> back = traffic.receive(left.rxQueue(0), 8);
            assertThat(back.get(0)[0]).isEqualTo((byte) round);
            assertThat(Arrays.copyOfRange(back.get(0), 1, 100)).isEqualTo(Arrays.copyOfRange(frame, 1, 100));
            assertThat(back.get(7)).isEqualTo(frame);
        }
        assertThat(right.statistics().get("rx_no_room")).isZero();
    }

    @Test
    void theProcessorStyleRunsOnTheSameQueues() throws Exception {
        open(SMALL);
        ProcessorLoop loop = new ProcessorLoop(right.rxQueue(0), right.txQueue(0), (memory, offset, length) -> {
            byte first = memory.get(ValueLayout.JAVA_BYTE, offset);
            memory.set(ValueLayout.JAVA_BYTE, offset, (byte) (first + 1));
            return first % 2 == 0 ? length - 4 : 0;
        }, 32);
        for (int i = 0; i < 20; i++) {
            byte[] frame = Traffic.frame(80, i);
            frame[0] = (byte) i;
            traffic.send(left.txQueue(0), frame);
        }
        traffic.await(() -> {
            loop.run();
            return loop.processed() == 20;
        }, "packets in the loop");
        List<byte[]> back = traffic.receive(left.rxQueue(0), 10);
        assertThat(back).hasSize(10).allMatch(frame -> frame.length == 76);
        assertThat(back).extracting(frame -> frame[0] % 2).containsOnly(1);
        assertThat(loop.noRoom()).isZero();
    }

    @Test
    void flowsShareTheQueuesAndAFlowKeepsItsQueue() throws Exception {
        open(SMALL.withQueues(4, 1));
        Set<Integer> used = new HashSet<>();
        for (int flow = 0; flow < 24; flow++) {
            traffic.send(left.txQueue(0), Traffic.udp(64, flow), Traffic.udp(64, flow));
            PacketBatch batch = new PacketBatch(8);
            int[] queue = { -1 };
            traffic.await(() -> {
                for (int q = 0; q < 4 && batch.isEmpty(); q++) {
                    queue[0] = right.rxQueue(q).poll(batch) > 0 ? q : queue[0];
                }
                return !batch.isEmpty();
            }, "a packet on any queue");
            traffic.fill(right.rxQueue(queue[0]), batch, 2);
            assertThat(batch.flags(0) & PacketBatch.HAS_HASH).isNotZero();
            assertThat(batch.hash(0)).isEqualTo(batch.hash(1)).isNotZero();
            assertThat(batch.hash(0) & 3).as("the table is filled in turn").isEqualTo(queue[0]);
            used.add(queue[0]);
            batch.release();
        }
        assertThat(used).containsExactlyInAnyOrder(0, 1, 2, 3);
    }

    @Test
    void checksumsAreInsertedAndReported() throws Exception {
        open(SMALL);
        byte[] frame = Traffic.frame(99, 5);
        frame[40] = 0;
        frame[41] = 0;
        PacketBatch batch = new PacketBatch(1);
        traffic.load(left.txQueue(0), batch, frame);
        batch.requestChecksum(0, 34, 40);
        left.txQueue(0).write(batch);
        left.txQueue(0).commit();
        PacketBatch in = new PacketBatch(1);
        traffic.fill(right.rxQueue(0), in, 1);
        byte[] got = Traffic.bytes(in, 0);
        assertThat(in.flags(0) & PacketBatch.HAS_CHECKSUM).isNotZero();
        assertThat(in.checksum(0)).isEqualTo(sum(got, 14));
        assertThat((got[40] & 0xFF) << 8 | got[41] & 0xFF).isEqualTo(~sum(frame, 34) & 0xFFFF);
        in.release();
    }

    static int sum(byte[] data, int from) {
        int sum = 0;
        for (int i = from; i < data.length; i++) {
            sum += (data[i] & 0xFF) << ((i - from & 1) == 0 ? 8 : 0);
        }
        while (sum >> 16 != 0) {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        return sum;
    }

    @Test
    void longFramesArriveInOneBufferAndAreGatheredFromSeveral() throws Exception {
        open(SMALL.withBuffers(1216, 8, 9214));
        for (int length : new int[] { 60, 1216, 1217, 5 * 1216, 6 * 1216, 7 * 1216, 7 * 1216 + 1, 9214 }) {
            for (int round = 0; round < 20; round++) {
                byte[] frame = Traffic.frame(length, round);
                traffic.send(left.txQueue(0), frame);
                PacketBatch batch = new PacketBatch(8);
                traffic.fill(right.rxQueue(0), batch, 1);
                assertThat(batch.size()).isEqualTo(1);
                assertThat(Traffic.bytes(batch, 0)).isEqualTo(frame);
                right.txQueue(0).write(batch); // and back
                right.txQueue(0).commit();
                assertThat(traffic.receive(left.rxQueue(0), 1)).containsExactly(frame);
            }
        }
        assertThat(right.statistics().get("rx_no_room")).isZero();
        assertThatThrownBy(() -> left.setMaxFrameBytes(9215)).isInstanceOf(DeviceException.class);
    }

    @Test
    void framesTheHardwareCannotBearAreCountedAndGivenBack() throws Exception {
        open(SMALL);
        PacketBatch batch = new PacketBatch(4);
        left.txQueue(0).allocate(batch, 4);
        batch.setLength(0, 13); // would be no Ethernet frame
        batch.setLength(1, 1519);
        batch.setLength(2, 0); // is a drop, not an error
        batch.setLength(3, 64);
        assertThat(left.txQueue(0).write(batch)).isEqualTo(1);
        left.txQueue(0).commit();
        assertThat(traffic.receive(right.rxQueue(0), 1)).hasSize(1);
        assertThat(left.statistics()).containsEntry("tx_errors", 2L).containsEntry("tx_packets", 1L);
    }

    @Test
    void theLongestFrameCanBeChangedWithinLimits() throws Exception {
        open(CorundumOptions.DEFAULTS.withRingEntries(32).withBuffers(9216, 1, 1518));
        assertThat(left.maxFrameBytes()).isEqualTo(1518);
        left.setMaxFrameBytes(9000);
        right.setMaxFrameBytes(9000);
        byte[] frame = Traffic.frame(9000, 1);
        traffic.send(left.txQueue(0), frame);
        assertThat(traffic.receive(right.rxQueue(0), 1)).containsExactly(frame);
        assertThatThrownBy(() -> left.setMaxFrameBytes(9215)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("9214");
    }

    @Test
    void stopAndStartLoseNoBuffer() throws Exception {
        open(SMALL);
        for (int round = 0; round < 30; round++) {
            byte[] frame = Traffic.frame(70, round);
            traffic.send(left.txQueue(0), frame);
            if (round % 3 != 0) { // else it stays in the ring
                traffic.receiveUntil(right.rxQueue(0), frame);
            }
            right.stop();
            right.stop();
            right.start();
            if (round % 4 == 0) {
                left.stop();
                left.start();
            }
        }
        traffic.flush(left);
        PacketBatch all = new PacketBatch(1024);
        assertThat(left.txQueue(0).allocate(all, 1024)).as("all transmit buffers are there").isEqualTo(32 + 512);
        all.release();
        assertThat(right.statistics().get("rx_no_room")).isZero();
    }

    @Test
    void aClosedPortCanBeOpenedAnew() throws Exception {
        open(SMALL);
        right.close();
        right.close();
        assertThatThrownBy(right::start).isInstanceOf(IllegalStateException.class);
        right = adapter.openPort(1, SMALL.withQueues(2, 2));
        right.start();
        byte[] frame = Traffic.frame(64, 9);
        traffic.send(right.txQueue(1), frame);
        assertThat(traffic.receive(left.rxQueue(0), 1)).containsExactly(frame);
    }

    @Test
    void severalTransmitQueuesShareThePort() throws Exception {
        open(SMALL.withQueues(1, 4));
        List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            frames.add(Traffic.frame(80 + i, i));
            traffic.send(left.txQueue(i), frames.get(i));
        }
        assertThat(traffic.receive(right.rxQueue(0), 4)).containsExactlyInAnyOrderElementsOf(frames);
    }

    @Test
    void packetsOfAnotherCardsMemoryAreCopiedOrMapped() throws Exception {
        open(SMALL);
        byte[] frame = Traffic.frame(90, 2);
        PacketBatch batch = new PacketBatch(2);
        traffic.load(right.txQueue(0), batch, frame); // a buffer of the other port
        assertThat(left.txQueue(0).write(batch)).isEqualTo(1);
        left.txQueue(0).commit();
        assertThat(traffic.receive(right.rxQueue(0), 1)).containsExactly(frame);
        traffic.flush(left);
        PacketBatch all = new PacketBatch(1024);
        assertThat(right.txQueue(0).allocate(all, 1024)).as("it went back to its owner").isEqualTo(32 + 512);
        all.release();
    }

    @Test
    void timeStampsComeFromTheCardsClock() throws Exception {
        open(SMALL.withTimestamps());
        CorundumClock clock = adapter.clock().orElseThrow();
        clock.set(1_700_000_000_123_456_789L);
        left.stop();
        left.start();
        right.stop();
        right.start(); // starting takes the seconds over
        long before = clock.nanos();
        List<Long> sent = new ArrayList<>();
        left.txQueue(0).onSent((number, nanos) -> sent.add(nanos - before));
        traffic.send(left.txQueue(0), Traffic.frame(64, 1));
        PacketBatch batch = new PacketBatch(1);
        traffic.fill(right.rxQueue(0), batch, 1);
        traffic.flush(left);
        long after = clock.nanos();
        assertThat(batch.timestampNanos(0)).isBetween(before, after);
        assertThat(before).isGreaterThan(1_700_000_000_000_000_000L);
        assertThat(sent).hasSize(1).allMatch(nanos -> nanos >= 0 && nanos <= after - before);
        batch.release();
    }

    @Test
    void awaitReturnsWhenAPacketComes() throws Exception {
        open(SMALL.withInterrupts());
        assertThat(right.rxQueue(0).await(1_000)).isFalse();
        for (int round = 0; round < 100; round++) { // more often than the event queue has entries
            byte[] frame = Traffic.frame(64, round);
            traffic.send(left.txQueue(0), frame);
            traffic.await(() -> right.rxQueue(0).await(1_000_000), "an interrupt");
            assertThat(traffic.receive(right.rxQueue(0), 1)).containsExactly(frame);
        }
    }

    @Test
    void packetsInForeignMemoryAreCopied() throws Exception {
        open(SMALL);
        java.lang.foreign.MemorySegment memory = java.lang.foreign.MemorySegment.ofArray(new byte[8192]);
        List<Long> released = new ArrayList<>();
        PacketBatch batch = new PacketBatch(3);
        PacketWriter.open(batch, new dev.bascule.nic.PacketMemory() {
            @Override
            public java.lang.foreign.MemorySegment segment() {
                return memory;
            }

            @Override
            public void release(PacketBatch from, int first, int end) {
                for (int i = first; i < end; i++) {
                    released.add(PacketWriter.token(from, i));
                }
            }
        });
        byte[] frame = Traffic.frame(300, 8);
        memory.asSlice(4000, 300).copyFrom(java.lang.foreign.MemorySegment.ofArray(frame));
        PacketWriter.add(batch, 7, 4000, 300, 0);
        PacketWriter.add(batch, 8, 0, 5000, 0); // longer than any buffer
        PacketWriter.add(batch, 9, 4000, 300, 0);
        assertThat(left.txQueue(0).write(batch)).isEqualTo(2);
        left.txQueue(0).commit();
        assertThat(batch.isEmpty()).isTrue();
        assertThat(released).containsExactly(7L, 8L, 9L);
        assertThat(traffic.receive(right.rxQueue(0), 2)).containsExactly(frame, frame);
    }
}
