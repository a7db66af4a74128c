package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.enso.EnsoCounter;
import dev.bascule.model.enso.EnsoDevice;
import dev.bascule.nic.Flow;
import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.enso.EnsoStream.State;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Byte streams between two cards, over a cable that a test may cut, damage or look into. */
class EnsoStreamTest {
    private static final EnsoConfig CONFIG = EnsoConfig.ofRings(1024, 1024);
    private static final int RING = 1024 * 64;
    private static final Flow HERE = new Flow(0x0A000001, 1000, 0x0A000002, 2000, 6);
    private static final Flow THERE = new Flow(0x0A000002, 2000, 0x0A000001, 1000, 6);

    private final End left = new End();
    private final End right = new End();
    private final EnsoStream here = left.group.openStream(HERE);
    private final EnsoStream there = right.group.openStream(THERE);

    /** One card and its driver. */
    private final class End {
        final Queue<byte[]> sent = new ArrayDeque<>();
        Predicate<byte[]> passes = frame -> true;
        final EnsoDevice model = new EnsoDevice(EnsoRig.board(CONFIG), () -> 0,
                (frame, length, at) -> sent.add(Arrays.copyOf(frame, length)));
        final LoopbackDevice backing = LoopbackDevice.open(model);
        final EnsoNic nic = EnsoNic.open(backing, CONFIG, this::idle);
        final EnsoGroup group = nic.openGroup();

        private void idle(int work) {
            model.work(1 << 16);
            pump();
        }

        void carry(End to) {
            for (byte[] frame = sent.poll(); frame != null; frame = sent.poll()) {
                if (passes.test(frame)) {
                    to.model.receive(frame, 0, frame.length);
                }
            }
        }

        void close() {
            nic.close();
            backing.close();
        }
    }

    private void pump() {
        if (left == null || right == null) {
            return; // a card is being opened
        }
        for (int i = 0; i < 4; i++) {
            left.model.work(1 << 16);
            right.model.work(1 << 16);
            left.carry(right);
            right.carry(left);
        }
    }

    @AfterEach
    void close() {
        left.close();
        right.close();
    }

    private static byte[] random(int bytes, long seed) {
        byte[] data = new byte[bytes];
        new Random(seed).nextBytes(data);
        return data;
    }

    /** Writes and sends as many as there is room for. */
    private static int send(EnsoStream stream, byte[] data, int from, int most) {
        int bytes = (int) Math.min(most, stream.room());
        MemorySegment.copy(data, from, stream.sendMemory(), ValueLayout.JAVA_BYTE, stream.sendOffset(), bytes);
        assertThat(stream.send(bytes)).isEqualTo(bytes);
        return bytes;
    }

    private static void take(EnsoStream stream, int most, ByteArrayOutputStream to) {
        int bytes = (int) Math.min(most, stream.peek());
        to.writeBytes(stream.memory().asSlice(stream.offset(), bytes).toArray(ValueLayout.JAVA_BYTE));
        stream.free(bytes);
    }

    private byte[] rest(EnsoStream stream) {
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        for (int i = 0; i < 100; i++) {
            pump();
            take(stream, Integer.MAX_VALUE, got);
        }
        return got.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    void howeverItIsSplitTheSameBytesComeOutBothWays(long seed) {
        Random random = new Random(seed);
        int scale = seed == 1 ? 20_000 : 200_000; // seed 1: byte by byte
        byte[] going = random(scale + random.nextInt(scale), seed);
        byte[] coming = random(scale + random.nextInt(scale), ~seed);
        ByteArrayOutputStream arrived = new ByteArrayOutputStream();
        ByteArrayOutputStream returned = new ByteArrayOutputStream();
        int[] out = new int[2];
        int most = seed == 1 ? 1 : seed == 2 ? 40_000 : 3_000;
        for (int i = 0; i < 2_000_000 && (arrived.size() < going.length || returned.size() < coming.length); i++) {
            out[0] += send(here, going, out[0], Math.min(going.length - out[0], 1 + random.nextInt(most)));
            out[1] += send(there, coming, out[1], Math.min(coming.length - out[1], 1 + random.nextInt(most)));
            if (i % 16 == 0) {
                pump();
            }
            take(there, random.nextInt(2 * most + 200), arrived);
            take(here, random.nextInt(2 * most + 200), returned);
        }
        assertThat(arrived.toByteArray()).as("seed %d", seed).isEqualTo(going);
        assertThat(returned.toByteArray()).as("seed %d", seed).isEqualTo(coming);
        assertThat(here.state()).isEqualTo(State.OPEN);
    }

    @Test
    void theWireHasFramesThatEthernetCarriesAndThePipeNone() {
        left.passes = frame -> {
            assertThat(frame.length).isBetween(60, 1514);
            assertThat(frame[23]).as("TCP").isEqualTo((byte) 6);
            return true;
        };
        pump();
        byte[] data = random(5_001, 9);
        assertThat(send(here, data, 0, data.length)).isEqualTo(data.length);
        pump();
        assertThat(there.peek()).isEqualTo(data.length);
        assertThat(there.memory().asSlice(there.offset(), data.length).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(data);
        assertThat(right.model.metrics().get(EnsoCounter.DMA_FAULTS)).isZero();
    }

    @Test
    void aReaderThatStopsHoldsTheWriterAndNothingIsLost() {
        byte[] data = random(3 * RING, 5);
        int out = 0;
        for (int i = 0; i < 200; i++) {
            out += send(here, data, out, data.length - out);
            pump();
        }
        assertThat(out).as("what the reader's ring holds").isEqualTo(RING - 64);
        assertThat(here.room()).isZero();
        assertThat(here.send(10)).as("not taken").isZero();
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        for (int i = 0; i < 10_000 && got.size() < data.length; i++) {
            take(there, 777, got);
            pump();
            out += send(here, data, out, data.length - out);
            pump();
        }
        assertThat(got.toByteArray()).isEqualTo(data);
    }

    @Test
    void creditThatIsLostIsAskedForAgain() {
        byte[] data = random(2 * RING, 11);
        int out = 0;
        for (int i = 0; i < 200; i++) {
            out += send(here, data, out, data.length - out);
            pump();
        }
        assertThat(here.room()).isZero();
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        int[] lost = new int[1];
        right.passes = frame -> {
            lost[0]++;
            return false;
        };
        take(there, Integer.MAX_VALUE, got);
        pump();
        right.passes = frame -> true;
        assertThat(lost[0]).as("frames with credit").isPositive();
        int[] probes = new int[1];
        left.passes = frame -> {
            probes[0]++;
            return true;
        };
        for (int i = 0; i < 3 * StreamPipe.LOOKS_BEFORE_ASKING && here.room() == 0; i++) {
            pump();
        }
        assertThat(probes[0]).isEqualTo(1);
        for (int i = 0; i < 200; i++) {
            out += send(here, data, out, data.length - out);
            pump();
            take(there, Integer.MAX_VALUE, got);
            pump();
        }
        assertThat(got.toByteArray()).isEqualTo(data);
    }

    @Test
    void streamsWhoseFirstFramesAreAllLostBegin() {
        EnsoStream first = left.group.openStream(new Flow(0x0A000001, 1002, 0x0A000002, 2002, 6));
        left.passes = frame -> false;
        right.passes = frame -> false;
        EnsoStream second = right.group.openStream(new Flow(0x0A000002, 2002, 0x0A000001, 1002, 6));
        pump();
        left.passes = frame -> true;
        right.passes = frame -> true;
        byte[] data = random(3_000, 12);
        for (int i = 0; i < 2 * StreamPipe.LOOKS_BEFORE_ASKING && first.room() == 0; i++) {
            pump();
        }
        send(first, data, 0, data.length);
        assertThat(rest(second)).isEqualTo(data);
    }

    @Test
    void aReaderWithoutRoomAnswersThatItHasNone() {
        byte[] data = random(3 * RING, 13);
        int out = 0;
        for (int i = 0; i < 5 * StreamPipe.LOOKS_BEFORE_ASKING; i++) {
            out += send(here, data, out, data.length - out);
            pump();
        }
        assertThat(out).isEqualTo(RING - 64);
        assertThat(rest(there)).isEqualTo(Arrays.copyOf(data, out));
        assertThat(here.state()).isEqualTo(State.OPEN);
        assertThat(there.state()).isEqualTo(State.OPEN);
    }

    @Test
    void aCardWithoutStreamsAsTheHardwareIsRefuses() {
        EnsoDevice hardware = new EnsoDevice(EnsoRig.board(CONFIG), () -> 0, (_, _, _) -> {});
        hardware.withoutOffloads();
        try (LoopbackDevice device = LoopbackDevice.open(hardware);
                EnsoNic nic = EnsoNic.open(device, CONFIG, _ -> hardware.work(1 << 16))) {
            EnsoGroup group = nic.openGroup();
            for (int i = 0; i < 3; i++) { // what a refused one took is given back
                assertThatThrownBy(() -> group.openStream(HERE)).isInstanceOf(DeviceException.class)
                        .hasMessageContaining("this card has no streams");
            }
            RxPipe ordinary = group.openFallbackRx();
            byte[] frame = EnsoRig.frame(200, 7);
            hardware.receive(frame, 0, frame.length);
            assertThat(ordinary.peek()).isEqualTo(PacketFormat.padded(200));
        }
    }

    @Test
    void aLostFrameIsAHoleThatBothEndsAreToldOf() {
        pump();
        byte[] data = random(20_000, 6);
        int[] frames = new int[1];
        left.passes = frame -> ++frames[0] != 4;
        send(here, data, 0, data.length);
        assertThat(rest(there)).as("up to the hole").isEqualTo(Arrays.copyOf(data, 3 * 1460));
        assertThat(there.state()).isEqualTo(State.BROKEN);
        here.room();
        assertThat(here.state()).isEqualTo(State.RESET);
        assertThat(here.room()).isZero();
        assertThat(here.send(1)).isZero();
    }

    @Test
    void aDamagedFrameIsALostOneAndTheLastIsMissedAtTheEnd() {
        pump();
        byte[] data = random(3_000, 7);
        int[] frames = new int[1];
        left.passes = frame -> {
            if (++frames[0] == 3) {
                frame[100] ^= 4;
            }
            return true;
        };
        send(here, data, 0, data.length);
        assertThat(rest(there)).isEqualTo(Arrays.copyOf(data, 2 * 1460));
        assertThat(there.state()).as("nothing came behind it").isEqualTo(State.OPEN);
        here.close();
        pump();
        there.peek();
        assertThat(there.state()).isEqualTo(State.BROKEN);
    }

    @Test
    void aCloseTellsTheOtherEndWhichReadsTheRest() {
        pump();
        byte[] data = random(10_000, 8);
        send(here, data, 0, data.length);
        here.close();
        assertThat(rest(there)).isEqualTo(data);
        assertThat(there.state()).isEqualTo(State.ENDED);
        assertThat(there.room()).isZero();
        here.close();
        there.close();
        EnsoStream again = left.group.openStream(HERE);
        EnsoStream back = right.group.openStream(THERE);
        pump();
        send(again, data, 0, 100);
        assertThat(rest(back)).isEqualTo(Arrays.copyOf(data, 100));
    }

    @Test
    void aCloseThatCrossesBytesOnTheWireResetsTheirSender() {
        pump();
        send(here, random(5_000, 8), 0, 5_000);
        left.model.work(1 << 16);
        left.passes = frame -> false; // they come too late
        there.close();
        left.passes = frame -> true;
        pump();
        here.room();
        assertThat(here.state()).isEqualTo(State.RESET);
    }

    @Test
    void twoStreamsWithTheSameEndsAreRefusedAndOthersAreNot() {
        assertThatThrownBy(() -> left.group.openStream(HERE)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("already");
        left.group.openStream(new Flow(0x0A000001, 1001, 0x0A000002, 2000, 6)).close();
        pump();
        byte[] data = random(100, 2);
        send(here, data, 0, 100);
        assertThat(rest(there)).isEqualTo(data);
    }

    @Test
    void framesOfOthersGoTheirOwnWay() {
        RxPipe fallback = right.group.openFallbackRx();
        pump();
        byte[] udp = EnsoRig.frame(200, 7);
        right.model.receive(udp, 0, udp.length);
        assertThat(fallback.peek()).isEqualTo(PacketFormat.padded(200));
        byte[] data = random(5_000, 3);
        send(here, data, 0, data.length);
        assertThat(rest(there)).isEqualTo(data);
        assertThat(fallback.peek()).isEqualTo(PacketFormat.padded(200));
    }

    /** Whatever is written into a stream's registers: the model goes on, and is whole once the pipe is set up anew. */
    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
    void registersThatCannotBeEndTheStreamAndNothingElse(long seed) {
        pump();
        byte[] data = random(30_000, seed);
        send(here, data, 0, data.length);
        pump();
        Random random = new Random(seed);
        long page = EnsoRegisters.pipePage(PipeIds.NOWHERE - 1); // the first one that is given out
        long address = right.model.read(EnsoRegisters.BAR_INDEX, page + EnsoRegisters.RX_ADDRESS_LOW, 8);
        for (int i = 0; i < 300; i++) {
            right.model.write(EnsoRegisters.BAR_INDEX, page + 4 * random.nextInt(i < 20 ? 2 : 4), 4,
                    random.nextBoolean() ? random.nextInt(1024) : random.nextInt());
            send(here, data, 0, random.nextInt(3_000));
            pump();
        }
        here.room();
        assertThat(here.state()).as("seed %d", seed).isEqualTo(State.RESET);
        right.model.write(EnsoRegisters.BAR_INDEX, page + EnsoRegisters.RX_ADDRESS_LOW, 8, address);
        there.close();
        here.close();
        EnsoStream again = left.group.openStream(HERE);
        EnsoStream back = right.group.openStream(THERE);
        pump();
        send(again, data, 0, data.length);
        assertThat(rest(back)).as("seed %d", seed).isEqualTo(data);
    }

    @Test
    void aDriverThatSendsWithoutCreditBreaksItsStreamOnly() {
        EnsoStream other = left.group.openStream(new Flow(0x0A000001, 7, 0x0A000002, 8, 6));
        EnsoStream peer = right.group.openStream(new Flow(0x0A000002, 8, 0x0A000001, 7, 6));
        pump();
        StreamPipe pipe = (StreamPipe) Objects.requireNonNull(left.group.io().pipe(PipeIds.NOWHERE - 1));
        left.group.io().notifications.requests.requestStream(bytes -> {}, pipe.out.iova(), RING, pipe.id());
        left.group.io().commit();
        pump();
        here.room();
        there.peek();
        assertThat(here.state()).isEqualTo(State.RESET);
        assertThat(there.state()).isEqualTo(State.RESET);
        assertThat(there.receivedBytes()).isLessThan(RING);
        byte[] data = random(10_000, 4);
        send(other, data, 0, data.length);
        assertThat(rest(peer)).isEqualTo(data);
    }
}
