package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.app.CopyEcho;
import dev.bascule.app.Echo;
import dev.bascule.app.L2Forward;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.nic.PipeLoop;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.TxPipe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same processing on pipes and on packet queues gives the same frames. */
class AppsOnBothTest {
    private static final int PACKETS = 500;

    private static List<byte[]> onPipes(PacketProcessor processor) {
        try (EnsoRig rig = EnsoRig.small()) {
            EnsoGroup group = rig.nic.openGroup();
            PipeLoop loop = new PipeLoop(group.openFallbackRxTx(), processor, 4096);
            run(rig, loop::run);
            assertThat(loop.processed()).isEqualTo(PACKETS);
            assertThat(loop.malformed()).isZero();
            return List.copyOf(rig.sent);
        }
    }

    private static List<byte[]> onPackets(PacketProcessor processor) {
        try (EnsoRig rig = EnsoRig.small(); EnsoPacketNic card = new EnsoPacketNic(rig.nic, 1)) {
            card.start();
            ProcessorLoop loop = new ProcessorLoop(card.rxQueue(0), card.txQueue(0), processor, 32);
            run(rig, loop::run);
            assertThat(loop.processed()).isEqualTo(PACKETS);
            return List.copyOf(rig.sent);
        }
    }

    private static void run(EnsoRig rig, Runnable round) {
        for (int i = 0; i < PACKETS + 50; i++) {
            if (i < PACKETS) {
                rig.receive(EnsoRig.frame(60 + i * 7 % 1400, i));
            }
            round.run();
            rig.work();
        }
    }

    private static void same(PacketProcessor one, PacketProcessor other, int expected) {
        List<byte[]> pipes = onPipes(one);
        assertThat(pipes.size()).isEqualTo(expected);
        assertThat(onPackets(other).toArray(byte[][]::new)).isDeepEqualTo(pipes.toArray(byte[][]::new));
    }

    @Test
    void echoAndForward() {
        same(new Echo(), new Echo(), PACKETS);
        same(new L2Forward(), new L2Forward(), PACKETS);
    }

    @Test
    void processorsThatDropAndShorten() {
        PacketProcessor third = (memory, offset, length) -> length % 3 == 0 ? 0 : length;
        int kept = 0;
        for (int i = 0; i < PACKETS; i++) {
            kept += (60 + i * 7 % 1400) % 3 == 0 ? 0 : 1;
        }
        same(third, third, kept);
        PacketProcessor shorter = (memory, offset, length) -> {
            memory.set(java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED, offset + 16,
                    Short.reverseBytes((short) (60 - 14)));
            return 60;
        };
        same(shorter, shorter, PACKETS);
    }

    /** The card cuts what leaves by the IPv4 length at a fixed place, whatever the packet is. */
    @ParameterizedTest
    @ValueSource(strings = { "ipv6", "arp", "tagged", "lldp", "padded", "liar" })
    void whatTheCardWouldCutWronglyIsCountedAndSkipped(String kind) {
        try (EnsoRig rig = EnsoRig.small()) {
            PipeLoop loop = new PipeLoop(rig.nic.openGroup().openFallbackRxTx(), new Echo(), 4096);
            skips(kind, rig, loop::run, () -> loop.unsendable() + loop.malformed());
        }
        try (EnsoRig rig = EnsoRig.small()) {
            EnsoGroup group = rig.nic.openGroup();
            RxTxPipe in = group.openFallbackRxTx();
            TxPipe out = group.openTx();
            CopyEcho echo = new CopyEcho();
            skips(kind, rig, () -> echo.run(in, out), () -> echo.unsendable() + echo.malformed());
        }
    }

    private static void skips(String kind, EnsoRig rig, Runnable run, LongSupplier counted) {
        List<byte[]> good = new ArrayList<>();
        int strange = 0;
        for (int i = 0; i < PACKETS; i++) {
            byte[] frame = ipv4(60 + i * 7 % 700, i);
            if (i % 50 == 3) {
                rig.receive(strange(kind, frame.clone(), i));
                strange++;
            }
            rig.receive(frame);
            good.add(frame);
            if (i % 5 == 4) { // several in a batch
                run.run();
                rig.work();
            }
        }
        for (int i = 0; i < 50; i++) {
            run.run();
            rig.work();
        }
        if (kind.equals("padded")) { // its own part is sent, its padding is skipped
            assertThat(rig.sent).hasSize(PACKETS + strange);
            rig.sent.removeIf(frame -> frame.length == 61);
        }
        assertThat(rig.sent.toArray(byte[][]::new)).isDeepEqualTo(good.toArray(byte[][]::new));
        assertThat(counted.getAsLong()).as("counted").isEqualTo(strange);
    }

    private static byte[] ipv4(int lengthBytes, int fill) {
        byte[] frame = EnsoRig.frame(lengthBytes == 61 ? 62 : lengthBytes, fill);
        checksum(frame);
        return frame;
    }

    private static void checksum(byte[] frame) {
        int sum = 0;
        frame[24] = 0;
        frame[25] = 0;
        for (int i = 14; i < 34; i += 2) {
            sum += (frame[i] & 0xFF) << 8 | frame[i + 1] & 0xFF;
        }
        int complement = ~(sum % 0xFFFF) & 0xFFFF;
        frame[24] = (byte) (complement >>> 8);
        frame[25] = (byte) complement;
    }

    private static byte[] strange(String kind, byte[] like, int i) {
        byte[] frame = like;
        switch (kind) {
            case "ipv6" -> {
                frame = Arrays.copyOf(frame, 54 + i);
                frame[12] = (byte) 0x86;
                frame[13] = (byte) 0xDD;
                frame[16] = (byte) (1 + i % 3);
                frame[18] = (byte) (i >> 8);
                frame[19] = (byte) i;
            }
            case "arp" -> {
                frame = Arrays.copyOf(frame, 60);
                frame[13] = 6;
                frame[16] = 8;
                frame[17] = 0;
            }
            case "tagged" -> {
                byte[] tagged = new byte[frame.length + 4];
                System.arraycopy(frame, 0, tagged, 0, 12);
                System.arraycopy(frame, 12, tagged, 16, frame.length - 12);
                tagged[12] = (byte) 0x81;
                return tagged;
            }
            case "lldp" -> {
                frame[12] = (byte) 0x88;
                frame[13] = (byte) 0xCC;
            }
            case "padded" -> {
                frame = Arrays.copyOf(frame, 400);
                frame[16] = 0;
                frame[17] = 61 - 14;
                Arrays.fill(frame, 64, 400, (byte) 0xEE);
                checksum(frame);
            }
            default -> { // says that it is longer than all that comes with it
                frame[16] = 0x70;
                frame = Arrays.copyOf(frame, 64);
            }
        }
        return frame;
    }

    @Test
    void copies() {
        try (EnsoRig rig = EnsoRig.small()) {
            EnsoGroup group = rig.nic.openGroup();
            RxTxPipe in = group.openFallbackRxTx();
            TxPipe out = group.openTx();
            CopyEcho echo = new CopyEcho();
            run(rig, () -> echo.run(in, out));
            assertThat(rig.sent.size()).isEqualTo(PACKETS);
            assertThat(rig.sent.get(123)).isEqualTo(EnsoRig.frame(60 + 123 * 7 % 1400, 123));
        }
        try (EnsoRig rig = EnsoRig.small(); EnsoPacketNic card = new EnsoPacketNic(rig.nic, 1)) {
            card.start();
            CopyEcho echo = new CopyEcho();
            run(rig, () -> echo.run(card.rxQueue(0), card.txQueue(0)));
            assertThat(rig.sent.size()).isEqualTo(PACKETS);
            assertThat(rig.sent.get(123)).isEqualTo(EnsoRig.frame(60 + 123 * 7 % 1400, 123));
        }
    }
}
