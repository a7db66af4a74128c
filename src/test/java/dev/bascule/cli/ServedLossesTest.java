package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.DeviceModel;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.CountedWire;
import dev.bascule.model.Losses;
import dev.bascule.model.enso.EnsoCard;
import dev.bascule.model.virtio.VirtioCard;
import dev.bascule.model.wire.CaptureWire;
import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.enso.EnsoConfig;
import dev.bascule.nic.enso.EnsoNic;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files played to a program that does not look at first: frames wait for room, or each that is lost is counted. */
class ServedLossesTest {
    private static final int FRAMES = 40_000;
    private static final int NUMBER_AT = 20;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    @TempDir
    private Path folder = Path.of("");

    /** IPv4, so that pipes can be cut into packets; numbered. */
    static Path file(Path folder, int frames) throws IOException {
        Path file = folder.resolve("in.pcapng");
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("port"))) {
            byte[] frame = new byte[64];
            frame[12] = 8;
            frame[14] = 0x45;
            frame[17] = 50;
            for (int i = 0; i < frames; i++) {
                frame[NUMBER_AT] = (byte) (i >> 8);
                frame[NUMBER_AT + 1] = (byte) i;
                writer.write(0, 0, frame, 0, frame.length);
            }
        }
        return file;
    }

    private CaptureWire wire(boolean lossless) throws IOException {
        return CaptureWire.open(file(folder, FRAMES), null, System::nanoTime, lossless);
    }

    private static int number(MemorySegment memory, long at) {
        return (memory.get(ValueLayout.JAVA_BYTE, at + NUMBER_AT) & 0xff) << 8
                | memory.get(ValueLayout.JAVA_BYTE, at + NUMBER_AT + 1) & 0xff;
    }

    private static void await(BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    /** Takes what comes until all {@code expected} are there, or the file is over and nothing comes. */
    private static int take(CaptureWire wire, IntSupplier some) {
        int[] received = new int[1];
        await(() -> {
            boolean over = wire.isAtEnd();
            int count = some.getAsInt();
            received[0] += count;
            return over && count == 0;
        }, "the end of the file");
        return received[0];
    }

    private int enso(CaptureWire wire, EnsoCard model, boolean inOrder, long before) {
        try (LoopbackDevice device = LoopbackDevice.open((DeviceModel) model);
                EnsoNic nic = EnsoNic.open(device, EnsoConfig.DEFAULT)) {
            RxPipe pipe = nic.openGroup().openFallbackRx();
            wire.start();
            await(() -> wire.delivered() >= before, "the pipe is full");
            int[] next = new int[1];
            return take(wire, () -> {
                long bytes = pipe.peek();
                for (long at = 0; at < bytes && inOrder; at += RxPipe.QUANTUM_BYTES) {
                    assertThat(number(pipe.memory(), pipe.offset() + at)).isEqualTo(next[0]++ & 0xffff);
                }
                pipe.confirm(bytes);
                pipe.free(bytes);
                return (int) (bytes / RxPipe.QUANTUM_BYTES);
            });
        }
    }

    @Test
    void aLosslessFileReachesAPipeWholeAndInOrder() throws IOException {
        CaptureWire wire = wire(true);
        EnsoCard model = new EnsoCard(new CountedWire(wire));
        int full = (1 << 21) / RxPipe.QUANTUM_BYTES - 1;
        assertThat(enso(wire, model, true, full)).isEqualTo(FRAMES);
        assertThat(model.losses()).isEqualTo(Losses.NONE);
        assertThat(model.unannounced()).isEqualTo(Losses.NONE);
    }

    @Test
    void atARecordedPaceEachFrameThatFindsItsPipeFullIsCounted() throws IOException {
        CaptureWire wire = wire(false);
        EnsoCard model = new EnsoCard(new CountedWire(wire));
        int received = enso(wire, model, false, FRAMES);
        assertThat(received).isEqualTo((1 << 21) / RxPipe.QUANTUM_BYTES - 1);
        assertThat(model.losses()).isEqualTo(Losses.NONE.plus("pipe 0", "no room in its buffer", FRAMES - received));
    }

    private int virtio(CaptureWire wire, VirtioCard model, boolean inOrder, long before) {
        try (NicAdapter card = Nics.open(LoopbackDevice.open((DeviceModel) model))) {
            Nic nic = card.openPort(0, NicOptions.DEFAULTS);
            nic.start();
            wire.start();
            await(() -> wire.delivered() >= before, "no buffer is left");
            PacketBatch batch = new PacketBatch(64);
            int[] next = new int[1];
            return take(wire, () -> {
                int count = nic.rxQueue(0).poll(batch);
                for (int i = 0; i < count && inOrder; i++) {
                    assertThat(number(batch.memory().segment(), batch.offset(i))).isEqualTo(next[0]++ & 0xffff);
                }
                batch.release();
                return count;
            });
        }
    }

    @Test
    void aLosslessFileReachesAVirtioDriverWholeAndInOrder() throws IOException {
        CaptureWire wire = wire(true);
        VirtioCard model = new VirtioCard(new CountedWire(wire));
        assertThat(virtio(wire, model, true, 1)).isEqualTo(FRAMES);
        assertThat(model.losses()).isEqualTo(Losses.NONE);
    }

    @Test
    void atARecordedPaceEachFrameWithoutABufferIsCounted() throws IOException {
        CaptureWire wire = wire(false);
        VirtioCard model = new VirtioCard(new CountedWire(wire));
        int received = virtio(wire, model, false, FRAMES);
        assertThat(received).isPositive();
        assertThat(model.losses()).isEqualTo(Losses.NONE.plus("queue 0", "no buffer", FRAMES - received));
    }
}
