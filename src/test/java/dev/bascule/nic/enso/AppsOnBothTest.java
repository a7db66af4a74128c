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
import java.util.List;
import org.junit.jupiter.api.Test;

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
