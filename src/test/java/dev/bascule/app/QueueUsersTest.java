package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ring.Clock;
import dev.bascule.model.wire.CaptureReader;
import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.model.wire.CapturedFrame;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketPipes;
import dev.bascule.nic.PipeLoop;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.StubCard;
import dev.bascule.nic.TxPipe;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every user of a queue, on a card that takes everything, refuses some, has little room, or delivers packets in pieces: what
 * is at the wire, what was refused, what found no room and what was dropped is what was offered, and every byte is right.
 */
class QueueUsersTest {
    private static final int[] LENGTHS = { 60, 13, 200, 1514, 14, 2048, 2049, 2500, 4100, 64, 9000, 9014, 6, 16000 };
    private static final int ROUNDS = 1_000;

    private StubCard card = new StubCard();

    /** A user under test: one round, and the packets it says that it did not send, without those refused. */
    private record User(IntSupplier round, LongSupplier unsent, UnaryOperator<byte[]> expected, Runnable close) {
        User(IntSupplier round, LongSupplier unsent, UnaryOperator<byte[]> expected) {
            this(round, unsent, expected, () -> {});
        }
    }

    private enum Users {
        FORWARDER, L2_FORWARD, MIRROR, COPY, PIPE, COPY_PIPE
    }

    private enum Kind {
        PLAIN, REFUSING, FULL, IN_PIECES, IN_PIECES_REFUSING, IN_PIECES_FULL
    }

    @AfterEach
    void everyBufferCameBack() {
        assertThat(card.freeBuffers()).isEqualTo(card.buffers());
        card.close();
    }

    private User user(Users which) {
        UnaryOperator<byte[]> same = UnaryOperator.identity();
        switch (which) {
            case FORWARDER -> {
                Forwarder forwarder = new Forwarder(card, card, 32);
                return new User(forwarder::run, forwarder::noRoom, same);
            }
            case L2_FORWARD, MIRROR -> {
                ProcessorLoop loop = new ProcessorLoop(card.rxQueue(0), card.txQueue(0),
                        which == Users.MIRROR ? new Mirror() : new L2Forward(), 32);
                return new User(loop::run, () -> loop.noRoom() + loop.dropped(), QueueUsersTest::swapped);
            }
            case COPY -> {
                CopyEcho echo = new CopyEcho();
                return new User(() -> echo.run(card.rxQueue(0), card.txQueue(0)), echo::unsendable, same);
            }
            default -> {
                return onPipes(which);
            }
        }
    }

    private User onPipes(Users which) {
        PacketPipes pipes = new PacketPipes(card.rxQueue(0), card.txQueue(0), 1 << 16);
        RxTxPipe pipe = pipes.openFallbackRxTx();
        LongSupplier dropped = () -> pipes.withoutLength() + pipes.tooLong() + pipes.malformed();
        if (which == Users.PIPE) {
            PipeLoop loop = new PipeLoop(pipe, (memory, offset, length) -> length, Long.MAX_VALUE);
            return new User(loop::run, () -> loop.noRoom() + loop.dropped() + loop.malformed() + dropped.getAsLong(),
                    UnaryOperator.identity(), pipes::close);
        }
        TxPipe out = pipes.openTx();
        CopyEcho echo = new CopyEcho();
        return new User(() -> echo.run(pipe, out),
                () -> echo.unsendable() + echo.malformed() + dropped.getAsLong(), UnaryOperator.identity(),
                pipes::close);
    }

    private static StubCard card(Kind kind) {
        StubCard card = new StubCard();
        switch (kind) {
            case PLAIN -> card.pieces(2048);
            case REFUSING -> card.refusing(1514, true);
            case FULL -> card.room(5);
            case IN_PIECES -> card.pieces(600);
            case IN_PIECES_REFUSING -> card.pieces(600).refusing(2500, true);
            case IN_PIECES_FULL -> card.pieces(600).room(5);
        }
        return card;
    }

    /** Numbered in their last bytes; those that have room for it are in turn IPv4, IPv4, ARP and of a type of their own. */
    private static List<byte[]> frames() {
        List<byte[]> frames = new ArrayList<>();
        Random random = new Random(1);
        for (int i = 0; i < 20 * LENGTHS.length; i++) {
            byte[] frame = new byte[LENGTHS[i % LENGTHS.length]];
            random.nextBytes(frame);
            if (frame.length >= 18) {
                int kind = i % 4;
                frame[12] = (byte) (kind == 3 ? 0x88 : 8);
                frame[13] = (byte) (kind == 3 ? 0xb5 : kind == 2 ? 6 : 0);
                frame[14] = 0x05; // a version that nobody rewrites
                frame[16] = (byte) (frame.length - 14 >> 8);
                frame[17] = (byte) (frame.length - 14);
            }
            frame[frame.length - 1] = (byte) i;
            frame[frame.length - 2] = (byte) (i >> 8);
            frames.add(frame);
        }
        return frames;
    }

    private static byte[] swapped(byte[] frame) {
        byte[] to = frame.clone();
        if (frame.length >= 14) {
            System.arraycopy(frame, 0, to, 6, 6);
            System.arraycopy(frame, 6, to, 0, 6);
        }
        return to;
    }

    static Stream<Arguments> all() {
        return Arrays.stream(Users.values())
                .flatMap(user -> Arrays.stream(Kind.values()).map(kind -> Arguments.of(user, kind)));
    }

    @ParameterizedTest(name = "{0} on a card that is {1}")
    @MethodSource("all")
    void atTheWireRefusedNoRoomAndDroppedAreWhatWasOffered(Users which, Kind kind) {
        card.close();
        card = card(kind);
        List<byte[]> offered = frames();
        card.arrive(offered);
        User user = user(which);
        int idle = 0;
        for (int i = 0; i < ROUNDS && idle < 3; i++) {
            idle = user.round.getAsInt() == 0 && card.isDrained() ? idle + 1 : 0;
        }
        assertThat(idle).as("it comes to an end").isEqualTo(3);
        long refused = card.txQueue(0).refused().total();
        assertThat(card.wire.size() + refused + user.unsent.getAsLong()).isEqualTo(offered.size());
        inOrder(offered.stream().map(user.expected).toList(), which.name().contains("PIPE"));
        user.close.run();
    }

    /** Each frame at the wire is one that was offered, in its order, none twice; on pipes without what is behind its packet. */
    private void inOrder(List<byte[]> offered, boolean cut) {
        int at = 0;
        for (byte[] frame : card.wire) {
            while (at < offered.size() && !isSame(offered.get(at), frame, cut)) {
                at++;
            }
            assertThat(at).as("a frame of %d bytes that was not offered, or twice", frame.length)
                    .isLessThan(offered.size());
            at++;
        }
        assertThat(card.wire).isNotEmpty();
    }

    private static boolean isSame(byte[] offered, byte[] frame, boolean cut) {
        return cut
                ? frame.length <= offered.length && Arrays.equals(offered, 0, frame.length, frame, 0, frame.length)
                : Arrays.equals(offered, frame);
    }

    @Test
    void aGeneratorSaysBeforehandWhatItCannotSend() {
        card.refusing(1514, true);
        List<byte[]> frames = List.of(Probe.frame(60), Probe.frame(1600));
        assertThatThrownBy(
                () -> new Generator(card.txQueue(0), frames, Pace.AS_FAST_AS_POSSIBLE, 4, false, 8, Clock.system()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1600 bytes")
                .hasMessageContaining("too long");
    }

    @Test
    void aGeneratorWhosePortShrinksMeanwhileComesToItsEnd() {
        card.room(3);
        List<byte[]> frames = List.of(Probe.frame(60), Probe.frame(1600), Probe.frame(90));
        Generator generator = new Generator(card.txQueue(0), frames, Pace.AS_FAST_AS_POSSIBLE, 30, false, 8,
                Clock.system());
        card.setMaxFrameBytes(1514);
        for (int i = 0; i < ROUNDS && !generator.isDone(); i++) {
            generator.run();
        }
        assertThat(generator.isDone()).isTrue();
        assertThat(card.wire).hasSize(20);
        assertThat(generator.sent()).isEqualTo(20);
        assertThat(generator.refused()).isEqualTo(10);
        assertThat(generator.bytes()).isEqualTo(10 * (60 + 90));
    }

    @Test
    void aReceiverCountsPacketsNotPieces() {
        card.pieces(600);
        List<byte[]> frames = frames();
        card.arrive(frames);
        Receiver receiver = new Receiver(card.rxQueue(0), 64, Clock.system(), age -> {});
        while (receiver.run() > 0) {
            continue;
        }
        assertThat(receiver.received()).isEqualTo(frames.size());
        assertThat(receiver.bytes()).isEqualTo(frames.stream().mapToLong(frame -> frame.length).sum());
    }

    @Test
    void aRecorderWritesWholePackets(@TempDir Path folder) throws Exception {
        card.pieces(600);
        List<byte[]> frames = frames();
        card.arrive(frames);
        Path file = folder.resolve("o.pcapng");
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("port"))) {
            Recorder recorder = new Recorder(card.rxQueue(0), writer, new CardTimes(0, 0), 64);
            while (recorder.run() > 0) {
                continue;
            }
            assertThat(recorder.packets()).isEqualTo(frames.size());
        }
        int i = 0;
        try (CaptureReader reader = CaptureReader.open(file)) {
            for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
                assertThat(frame.data()).isEqualTo(frames.get(i++));
            }
        }
        assertThat(i).isEqualTo(frames.size());
    }

    @Test
    void packetsAreWalkedNotEntries() {
        card.pieces(600);
        card.arrive(List.of(new byte[60], new byte[1000], new byte[600], new byte[601]));
        PacketBatch batch = new PacketBatch(16);
        assertThat(card.rxQueue(0).poll(batch)).isEqualTo(4);
        List<Integer> lengths = new ArrayList<>();
        for (int i = 0; i < batch.size(); i = batch.next(i)) {
            lengths.add(batch.packetLength(i));
        }
        assertThat(lengths).containsExactly(60, 1000, 600, 601);
        assertThat(batch.packets()).isEqualTo(4);
        batch.replacePacket(1, MemorySegment.ofArray(new byte[400]), 0, 400);
        assertThat(batch.packetLength(1)).isEqualTo(400);
        assertThat(batch.packets()).isEqualTo(4);
        assertThatThrownBy(() -> batch.replacePacket(1, MemorySegment.ofArray(new byte[500]), 0, 401))
                .isInstanceOf(IllegalArgumentException.class);
        batch.release();
    }
}
