package dev.bascule.nic.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.wire.CaptureWire;
import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.nic.PacketBatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frames that come faster than a program takes them: a lossless file waits, of a recorded pace every loss is counted. */
class LostFramesTest {
    private static final int FRAMES = 5_000;
    private static final int NUMBER_AT = 20;
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    @TempDir
    private Path folder = Path.of("");

    private Path file() throws IOException {
        Path file = folder.resolve("in.pcapng");
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("port"))) {
            byte[] frame = new byte[64];
            for (int i = 0; i < FRAMES; i++) {
                frame[NUMBER_AT] = (byte) (i >> 8);
                frame[NUMBER_AT + 1] = (byte) i;
                writer.write(0, 0, frame, 0, frame.length);
            }
        }
        return file;
    }

    /** Takes frames slowly until the wire has given all and none comes any more. */
    private static int receive(CorundumNic nic, BooleanSupplier allGiven, boolean inOrder) {
        PacketBatch batch = new PacketBatch(32);
        int received = 0;
        int quiet = 0;
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!(allGiven.getAsBoolean() && quiet > 200)) {
            assertThat(System.nanoTime()).as("%d received", received).isLessThan(deadline);
            LockSupport.parkNanos(200_000);
            int count = nic.rxQueue(0).poll(batch);
            quiet = count == 0 ? quiet + 1 : 0;
            for (int i = 0; i < count; i++, received++) {
                long at = batch.offset(i) + NUMBER_AT;
                int number = (batch.memory().segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, at) & 0xff) << 8
                        | batch.memory().segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, at + 1) & 0xff;
                if (inOrder) {
                    assertThat(number).isEqualTo(received);
                }
            }
            batch.release();
        }
        return received;
    }

    private record Outcome(int received, long lost, List<String> places) {}

    private Outcome run(boolean lossless) throws IOException {
        CaptureWire wire = CaptureWire.open(file(), null, System::nanoTime, lossless);
        CorundumModel model = new CorundumModel(CorundumConfig.builder().build(), List.of(wire, WireEnd.OPEN), true);
        try (CorundumAdapter adapter = CorundumAdapter.open(LoopbackDevice.open(model))) {
            CorundumNic nic = adapter.openPort(0, CorundumOptions.DEFAULTS.withRingEntries(64));
            nic.start();
            wire.start();
            int received = receive(nic, () -> wire.delivered() == FRAMES, lossless);
            return new Outcome(received, model.losses().total(),
                    model.losses().places().stream().map(place -> place.where() + ", " + place.lack()).toList());
        }
    }

    @Test
    void aLosslessFileReachesASlowProgramWholeAndInOrder() throws IOException {
        assertThat(run(true)).isEqualTo(new Outcome(FRAMES, 0, List.of()));
    }

    @Test
    void atARecordedPaceEveryLostFrameIsCountedAtItsPlace() throws IOException {
        Outcome outcome = run(false);
        assertThat(outcome.lost()).as("the program is slow").isPositive();
        assertThat(outcome.received() + outcome.lost()).isEqualTo(FRAMES);
        assertThat(outcome.places()).allMatch(place -> place.matches("port 0, no room|queue \\d+, no descriptor"));
    }

    @Test
    void aCardThatHasNoBufferSinceTheUserHadAllGetsThemOnceHeGivesThemBack() {
        List<WireEnd> cable = Cables.cross();
        CorundumModel model = new CorundumModel(CorundumConfig.builder().build(), List.of(cable.get(0), WireEnd.OPEN),
                false);
        try (Rig rig = Rig.stepped(model); CorundumAdapter adapter = CorundumAdapter.open(rig.backing())) {
            CorundumNic nic = adapter.openPort(0, CorundumOptions.DEFAULTS.withRingEntries(64));
            nic.start();
            PacketBatch all = new PacketBatch(1 << 12);
            int before;
            do {
                before = all.size();
                for (int i = 0; i < 32; i++) {
                    cable.get(1).transmit(new byte[60], 0, 60);
                }
                rig.work();
                nic.rxQueue(0).poll(all);
            } while (all.size() > before);
            assertThat(all.size()).as("buffers of the pool").isGreaterThanOrEqualTo(64);
            all.release();
            nic.rxQueue(0).poll(all);
            cable.get(1).transmit(new byte[60], 0, 60);
            rig.work();
            assertThat(nic.rxQueue(0).poll(all)).isEqualTo(1);
            all.release();
        }
    }
}
