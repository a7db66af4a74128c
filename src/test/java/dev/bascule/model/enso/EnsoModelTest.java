package dev.bascule.model.enso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.Losses;
import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoRegisters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole device: configuration entries steer frames, stamp them and pace them. */
class EnsoModelTest {
    private static final long RX_RING = 0x5000_0000L;
    private static final long TX_RING = 0x5010_0000L;
    private static final long FRAME = 0x6000_0000L;
    private static final int SERVER = 0xC0A80001;
    private static final int CLIENT = 0x0A000002;

    private final SparseMemory memory = new SparseMemory();
    private final List<byte[]> wire = new ArrayList<>();
    private final List<Long> cycles = new ArrayList<>();
    private long now;
    private int slot;
    private final EnsoModel model = new EnsoModel(new PlainHost(memory), EnsoBoard.DEFAULT, () -> now,
            (frame, length, cycle) -> {
                wire.add(Arrays.copyOf(frame, length));
                cycles.add(cycle);
            });

    private record PlainHost(SparseMemory memory) implements HostPort {
        @Override
        public boolean write(long address, byte[] data, int offset, int lengthBytes) {
            memory.write(address, data, offset, lengthBytes);
            return true;
        }

        @Override
        public boolean read(long address, byte[] into, int offset, int lengthBytes) {
            memory.read(address, into, offset, lengthBytes);
            return true;
        }
    }

    @BeforeEach
    void setUp() {
        model.write(EnsoRegisters.notificationPage(0) + EnsoRegisters.RX_ADDRESS_LOW, 8, RX_RING);
        model.write(EnsoRegisters.notificationPage(0) + EnsoRegisters.TX_ADDRESS_LOW, 8, TX_RING);
        for (int pipe = 0; pipe < 4; pipe++) {
            model.write(EnsoRegisters.pipePage(pipe) + EnsoRegisters.RX_ADDRESS_LOW, 8, base(pipe));
        }
        model.write(EnsoRegisters.pipePage(8191) + EnsoRegisters.RX_ADDRESS_LOW, 8, base(4));
    }

    @Test
    void withoutFlowOrFallbackFramesAreDropped() {
        receive(Frames.udp(CLIENT, 1, SERVER, 80));
        assertThat(model.metrics().get(EnsoCounter.RX_DROPPED_NO_FLOW)).isEqualTo(1);
        assertThat(model.metrics().get(EnsoCounter.RX_PACKETS)).isZero();
    }

    @Test
    void aBoundFlowReachesItsPipe() {
        bind(CLIENT, 1234, SERVER, 80, 8191);
        receive(Frames.tcp(CLIENT, 1234, SERVER, 80, 0x10));
        receive(Frames.tcp(CLIENT, 1234, SERVER, 80, 0x02));
        assertThat(tail(8191)).isEqualTo(1);
        assertThat(model.metrics().get(EnsoCounter.FLOWS_STORED)).isEqualTo(1);
        assertThat(model.metrics().get(EnsoCounter.RX_NO_FLOW)).isEqualTo(1);
    }

    @Test
    void fallbackUsesTheHashOfTheZeroedKey() {
        fallback(4, 3, false);
        receive(Frames.udp(CLIENT, 1, SERVER, 80));
        receive(Frames.udp(CLIENT + 1, 999, SERVER, 80));
        int pipe = FlowHash.hash(0, 0, SERVER, 80, 0) & 3;
        assertThat(tail(pipe)).isEqualTo(2);
    }

    @Test
    void roundRobinFollowsTheClock() {
        fallback(4, 3, true);
        for (int i = 0; i < 8; i++) {
            receive(Frames.udp(CLIENT, 1, SERVER, 80));
            now += 2;
        }
        assertThat(List.of(tail(0), tail(1), tail(2), tail(3))).containsExactly(4, 0, 4, 0);
    }

    @Test
    void stampsComeBackAsRoundTripTime() {
        config(EnsoFormats.CONFIG_TIMESTAMP, 1L << 63, 18);
        fallback(1, 0, false);
        memory.write(FRAME, Frames.udp(CLIENT, 1, SERVER, 80), 0, 64);
        now = 1000;
        send(FRAME, 64);
        assertThat(Bytes.networkU32(wire.getLast(), 18)).isEqualTo(1000);
        now = 1234;
        receive(wire.getLast());
        byte[] landed = new byte[64];
        memory.read(base(0), landed, 0, 64);
        assertThat(Bytes.networkU32(landed, 18)).isEqualTo(234);
    }

    /** A TCP packet without data is 54 bytes; its length comes from its IPv4 header. */
    @Test
    void whatIsShorterThanEthernetAllowsIsPadded() {
        for (int length : new int[] { 54, 59, 60, 61 }) {
            byte[] frame = new byte[64];
            Arrays.fill(frame, (byte) 0xEE);
            frame[16] = 0;
            frame[17] = (byte) (length - 14);
            memory.write(FRAME, frame, 0, 64);
            send(FRAME, 64);
            byte[] expected = Arrays.copyOf(Arrays.copyOf(frame, length), Math.max(60, length));
            assertThat(wire.getLast()).isEqualTo(expected);
        }
    }

    @Test
    void rateLimitPacesPacketsAndCompletions() {
        config(EnsoFormats.CONFIG_RATE_LIMIT, 1L << 63 | 1L << 16 | 10, 0);
        memory.write(FRAME, Frames.udp(CLIENT, 1, SERVER, 80), 0, 64);
        for (int i = 0; i < 5; i++) {
            entry(1, FRAME, 64, 0);
        }
        doorbell();
        assertThat(wire).hasSize(1);
        assertThat(model.nextWorkCycle()).isEqualTo(10);
        now = 25;
        work();
        assertThat(cycles).containsExactly(0L, 10L, 20L);
        now = 1000;
        work();
        assertThat(cycles).containsExactly(0L, 10L, 20L, 30L, 40L);
        assertThat(model.metrics().get(EnsoCounter.TX_COMPLETIONS)).isEqualTo(6);
        config(EnsoFormats.CONFIG_RATE_LIMIT, 0, 0);
        send(FRAME, 64);
        assertThat(cycles.getLast()).isEqualTo(1000);
    }

    @Test
    void unknownConfigurationDoesNothingAndCompletes() {
        config(99, -1, -1);
        config(EnsoFormats.CONFIG_FLOW | 1L << 32, -1, -1);
        assertThat(model.metrics().get(EnsoCounter.TX_COMPLETIONS)).isEqualTo(2);
        assertThat(model.metrics().get(EnsoCounter.FLOWS_STORED)).isZero();
    }

    @Test
    void jumboAndEmptyFramesAreNotTaken() {
        fallback(1, 0, false);
        receive(new byte[1537]);
        receive(new byte[0]);
        receive(new byte[1536]);
        receive(new byte[1]);
        assertThat(model.metrics().get(EnsoCounter.RX_DROPPED_JUMBO)).isEqualTo(1);
        assertThat(tail(0)).isEqualTo(25);
    }

    @Test
    void workIsDoneInPortions() {
        for (int i = 0; i < 10; i++) {
            entry(1, FRAME, 64, 0);
        }
        model.write(EnsoRegisters.notificationPage(0) + EnsoRegisters.TX_TAIL, 4, slot);
        assertThat(model.work(7)).isEqualTo(7);
        assertThat(model.work(100)).isEqualTo(13);
        assertThat(model.work(100)).isZero();
    }

    @Test
    void reloadForgetsFlowsAndConfiguration() {
        fallback(1, 0, false);
        bind(0, 0, SERVER, 80, 1);
        model.reload();
        receive(Frames.udp(CLIENT, 1, SERVER, 80));
        assertThat(model.metrics().get(EnsoCounter.RX_DROPPED_NO_FLOW)).isEqualTo(1);
        assertThat(model.read(EnsoRegisters.pipePage(0) + EnsoRegisters.RX_ADDRESS_LOW, 8)).isZero();
    }

    @Test
    void anOfferWaitsForAPipeThenForRoom() {
        byte[] frame = Frames.udp(CLIENT, 1, SERVER, 80);
        assertThat(offer(frame)).as("nothing is bound").isFalse();
        bind(0, 0, SERVER, 80, 5);
        assertThat(offer(frame)).as("no buffer").isFalse();
        assertThat(offer(Frames.udp(CLIENT, 1, SERVER, 81))).as("other flows are bound: it would never arrive")
                .isTrue();
        Losses unbound = Losses.NONE.plus("steering", "no pipe bound to the flow", 1);
        assertThat(model.metrics().losses()).isEqualTo(unbound);
        model.write(EnsoRegisters.pipePage(5) + EnsoRegisters.RX_ADDRESS_LOW, 8, base(5));
        int taken = 0;
        while (offer(frame)) {
            taken++;
        }
        assertThat(taken).as("one flit stays free").isEqualTo(EnsoBoard.DEFAULT.pipeRingFlits() - 1);
        assertThat(model.metrics().get(EnsoCounter.RX_PACKETS)).as("what is refused leaves no trace").isEqualTo(taken);
        assertThat(model.metrics().get(EnsoCounter.RX_NO_FLOW)).isEqualTo(1);
        model.write(EnsoRegisters.pipePage(5) + EnsoRegisters.RX_HEAD, 4, 1);
        assertThat(offer(frame)).isTrue();
        assertThat(offer(frame)).isFalse();
        assertThat(model.metrics().losses()).isEqualTo(unbound);
        receive(frame);
        assertThat(model.metrics().losses()).isEqualTo(unbound.plus("pipe 5", "no room in its buffer", 1));
    }

    @Test
    void anOfferOfWhatCanNeverArriveIsTakenAndCounted() {
        assertThat(offer(new byte[1537])).isTrue();
        assertThat(offer(new byte[0])).isTrue();
        assertThat(model.metrics().losses()).isEqualTo(Losses.NONE.plus("steering", "longer than any packet", 1));
        model.reload();
        assertThat(model.metrics().losses().total()).as("over all resets").isEqualTo(1);
    }

    /** Flows come one after the other, and programs come again: what has no pipe now may have one soon. */
    @Test
    void offeredFramesWaitForAPipeWhilePatienceLasts() {
        model.forgiveMissingAddresses();
        model.patience(1_000);
        bind(0, 0, SERVER, 80, 8191);
        byte[] other = Frames.udp(CLIENT, 1, SERVER, 81);
        now = 900;
        assertThat(offer(other)).as("its flow may be bound next").isFalse();
        bind(0, 0, SERVER, 82, 8191);
        now = 1_899;
        assertThat(offer(other)).as("patience is new with each flow").isFalse();
        assertThat(offer(Frames.udp(CLIENT, 1, SERVER, 80))).isTrue();
        now = 1_900;
        assertThat(offer(other)).isTrue();
        assertThat(model.metrics().losses())
                .isEqualTo(Losses.NONE.plus("steering", "no pipe bound to the flow", 1));

        model.vacatePipe(8191);
        byte[] left = Frames.udp(CLIENT, 1, SERVER, 80);
        assertThat(offer(left)).as("its program may come again").isFalse();
        now = 2_900;
        assertThat(offer(left)).as("no flow leads to a pipe that was given back").isTrue();
        assertThat(model.metrics().losses())
                .isEqualTo(Losses.NONE.plus("steering", "no pipe bound to the flow", 2));
        bind(0, 0, SERVER, 80, 8190);
        assertThat(offer(left)).isFalse();
        now = 3_900;
        assertThat(offer(left)).as("a pipe without buffer").isTrue();
        assertThat(model.metrics().losses().places()).contains(new Losses.Place("pipe 8190", "no buffer bound", 1));
    }

    private boolean offer(byte[] frame) {
        return model.offer(frame, 0, frame.length);
    }

    private void bind(int sourceIp, int sourcePort, int destinationIp, int destinationPort, int pipe) {
        long ports = destinationPort | (long) sourcePort << 16;
        byte[] entry = newEntry(2, EnsoFormats.CONFIG_FLOW, ports | (long) destinationIp << 32,
                Integer.toUnsignedLong(sourceIp));
        Bytes.putU64(entry, EnsoFormats.FLOW_PIPE, pipe);
        put(entry);
        doorbell();
    }

    private void fallback(int count, int mask, boolean roundRobin) {
        config(EnsoFormats.CONFIG_FALLBACK, count | (long) mask << 32, roundRobin ? 1L << 63 : 0);
    }

    private void config(long id, long third, long fourth) {
        entry(2, id, third, fourth);
        doorbell();
    }

    private void send(long address, int lengthBytes) {
        entry(1, address, lengthBytes, 0);
        doorbell();
    }

    private void entry(long signal, long second, long third, long fourth) {
        put(newEntry(signal, second, third, fourth));
    }

    private static byte[] newEntry(long signal, long second, long third, long fourth) {
        byte[] entry = new byte[64];
        Bytes.putU64(entry, 0, signal);
        Bytes.putU64(entry, 8, second);
        Bytes.putU64(entry, 16, third);
        Bytes.putU64(entry, 24, fourth);
        return entry;
    }

    private void put(byte[] entry) {
        memory.write(TX_RING + 64L * slot++, entry, 0, entry.length);
    }

    private void doorbell() {
        model.write(EnsoRegisters.notificationPage(0) + EnsoRegisters.TX_TAIL, 4, slot);
        work();
    }

    private void work() {
        assertThat(model.work(100_000)).isLessThan(100_000);
    }

    private void receive(byte[] frame) {
        model.receive(frame, 0, frame.length);
    }

    private int tail(int pipe) {
        return (int) model.read(EnsoRegisters.pipePage(pipe) + EnsoRegisters.RX_TAIL, 4);
    }

    private static long base(int n) {
        return 0x4000_0000L + n * 0x20_0000L;
    }
}
