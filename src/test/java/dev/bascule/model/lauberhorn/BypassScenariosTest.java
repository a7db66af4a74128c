package dev.bascule.model.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lauberhorn.CpuLines;
import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.Xdr;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Frames that are no RPC, by the names of the public prototype's tests (KireinaHoro/enzian-pio-nic, NicSim). The bypass
 * has lines of its own; a frame that it answers with is the reply in the line.
 */
class BypassScenariosTest {
    private static final LauberhornConfig MACHINE = LauberhornConfig.DEFAULT.withLines(
            new LineLayout(128, 4096, 16_384),
            4096);

    private final long seed = System.nanoTime();
    private final SplittableRandom random = new SplittableRandom(seed);
    private final List<byte[]> sent = new ArrayList<>();

    private byte[] frame(int bytes, long toMac) {
        byte[] frame = new byte[bytes];
        random.nextBytes(frame);
        for (int i = 0; i < 6; i++) {
            frame[i] = (byte) (toMac >>> 40 - 8 * i);
        }
        frame[12] = (byte) 0x88; // a type that nothing knows
        frame[13] = (byte) 0xb5;
        return frame;
    }

    private static byte[] received(CpuLines lines) {
        int bytes = lines.bytes();
        long[] words = new long[Xdr.words(bytes)];
        for (int i = 0; i < words.length; i++) {
            words[i] = lines.payload(i);
        }
        byte[] frame = new byte[bytes];
        Xdr.copyOut(words, 0, bytes, frame, 0);
        return frame;
    }

    private static void send(CpuLines lines, byte[] frame) {
        long[] words = new long[Xdr.words(frame.length)];
        Xdr.copyIn(frame, 0, frame.length, words, 0);
        lines.begin(frame.length);
        for (int i = 0; i < words.length; i++) {
            lines.put(i, words[i]);
        }
        lines.end(LineHead.REPLY);
    }

    private void take(WireEnd wire) {
        wire.poll((data, offset, bytes) -> sent.add(Arrays.copyOfRange(data, offset, offset + bytes)), 64);
    }

    private void receives(SteppedNic nic, CpuLines lines, int bytes, boolean loadsFirst) {
        byte[] frame = frame(bytes, SteppedNic.MAC);
        if (loadsFirst) {
            lines.announce();
            nic.nic.doWork();
            assertThat(lines.look()).isZero();
        }
        nic.far.transmit(frame, 0, bytes);
        nic.nic.doWork();
        if (!loadsFirst) {
            lines.announce();
            nic.nic.doWork();
        }
        assertThat(lines.look()).as("%d bytes, seed %d", bytes, seed).isEqualTo(LineHead.REQUEST);
        assertThat(received(lines)).as("seed %d", seed).isEqualTo(frame);
        lines.begin(0); // nothing to send
        lines.end(LineHead.REPLY);
    }

    @Test
    void rxBypassSimple() {
        try (SteppedNic nic = new SteppedNic(MACHINE)) {
            CpuLines lines = nic.bypass();
            for (int bytes = 64; bytes <= 256; bytes += 64) {
                receives(nic, lines, bytes, random.nextBoolean());
            }
        }
    }

    @Test
    void rxBypassScanSizes() {
        try (SteppedNic nic = new SteppedNic(MACHINE)) {
            CpuLines lines = nic.bypass();
            for (int bytes = 64; bytes <= 9_618; bytes += 64) {
                receives(nic, lines, bytes, random.nextBoolean());
            }
            assertThat(nic.nic.counters().get(Total.BYPASSED)).isEqualTo(150);
            assertThat(nic.nic.counters().get(Total.DROPPED)).isZero();
        }
    }

    @Test
    void rxBypassPipelined() {
        try (SteppedNic nic = new SteppedNic(MACHINE)) {
            CpuLines lines = nic.bypass();
            List<byte[]> frames = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                frames.add(frame(128, SteppedNic.MAC));
                nic.far.transmit(frames.getLast(), 0, 128);
            }
            for (byte[] frame : frames) {
                lines.announce();
                nic.nic.doWork();
                assertThat(lines.look()).isEqualTo(LineHead.REQUEST);
                assertThat(received(lines)).as("seed %d", seed).isEqualTo(frame);
                lines.begin(0);
                lines.end(LineHead.REPLY);
            }
        }
    }

    @Test
    void rxBypassNoRepeat() {
        try (SteppedNic nic = new SteppedNic(MACHINE)) {
            CpuLines lines = nic.bypass();
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 5; i++) {
                    lines.announce();
                    nic.nic.doWork();
                    nic.now += MACHINE.times().tryAgainNanos();
                    nic.nic.doWork();
                    assertThat(lines.look()).as("no frame").isEqualTo(LineHead.TRY_AGAIN);
                }
                if (round == 0) {
                    receives(nic, lines, 512, true);
                }
            }
        }
    }

    @Test
    void rxNoPromisc() {
        try (SteppedNic nic = new SteppedNic(MACHINE)) {
            CpuLines lines = nic.bypass();
            byte[] other = frame(512, SteppedNic.MAC + 1);
            nic.far.transmit(other, 0, 512);
            lines.announce();
            nic.nic.doWork();
            assertThat(lines.look()).as("another's frame").isZero();
            assertThat(nic.nic.counters().get(Total.DROPPED)).isEqualTo(1);
            byte[] all = frame(512, 0xffff_ffff_ffffL);
            nic.far.transmit(all, 0, 512);
            nic.nic.doWork();
            assertThat(lines.look()).as("a broadcast").isEqualTo(LineHead.REQUEST);
        }
    }

    @Test
    void txScanSizes() {
        try (SteppedNic nic = new SteppedNic(MACHINE)) {
            CpuLines lines = nic.bypass();
            for (int bytes = 64; bytes <= 9_600; bytes += 64) {
                nic.far.transmit(frame(64, SteppedNic.MAC), 0, 64);
                lines.announce();
                nic.nic.doWork();
                assertThat(lines.look()).isEqualTo(LineHead.REQUEST);
                byte[] out = frame(bytes, SteppedNic.MAC + 1);
                send(lines, out);
                lines.announce();
                nic.nic.doWork();
                take(nic.far);
                assertThat(sent).as("%d bytes, seed %d", bytes, seed).singleElement().isEqualTo(out);
                sent.clear();
                nic.now += MACHINE.times().tryAgainNanos();
                nic.nic.doWork();
                assertThat(lines.look()).isEqualTo(LineHead.TRY_AGAIN);
            }
        }
    }

    @Test
    void framesThatNobodyTakesAreDroppedAndCounted() {
        try (SteppedNic nic = new SteppedNic(MACHINE)) {
            for (int i = 0; i < 40; i++) {
                nic.far.transmit(frame(64, SteppedNic.MAC), 0, 64);
            }
            nic.step(3);
            assertThat(nic.nic.counters().get(Total.BYPASSED)).isEqualTo(32);
            assertThat(nic.nic.counters().get(Total.DROPPED)).isEqualTo(8);
        }
    }
}
