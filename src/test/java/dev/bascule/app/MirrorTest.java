package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MirrorTest {
    private static final int OFFSET = 100;

    private final Mirror mirror = new Mirror();

    private byte[] answer(byte[] frame, int lengthBytes, int expected) {
        byte[] memory = new byte[2048];
        new Random(1).nextBytes(memory);
        byte[] before = memory.clone();
        System.arraycopy(frame, 0, memory, OFFSET, frame.length);
        assertThat(mirror.process(MemorySegment.ofArray(memory), OFFSET, lengthBytes)).isEqualTo(expected);
        assertThat(Arrays.copyOf(memory, OFFSET)).as("nothing before it").isEqualTo(Arrays.copyOf(before, OFFSET));
        assertThat(Arrays.copyOfRange(memory, OFFSET + frame.length, 2048)).as("nothing after it")
                .isEqualTo(Arrays.copyOfRange(before, OFFSET + frame.length, 2048));
        return Arrays.copyOfRange(memory, OFFSET, OFFSET + frame.length);
    }

    private static byte[] ip(int lengthBytes, int protocol) {
        byte[] frame = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            frame[i] = (byte) i;
        }
        frame[12] = 8;
        frame[13] = 0;
        frame[14] = 0x45;
        frame[16] = 0;
        frame[17] = (byte) (lengthBytes - 14);
        frame[20] = 0;
        frame[21] = 0;
        frame[23] = (byte) protocol;
        return frame;
    }

    private static int sum(byte[] data, int from, int to) {
        int sum = 0;
        for (int i = from; i < to; i++) {
            sum += (data[i] & 0xFF) << ((i - from & 1) == 0 ? 8 : 0);
        }
        while (sum >> 16 != 0) {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        return sum;
    }

    @Test
    void stationsAddressesAndPortsChangePlaces() {
        byte[] frame = ip(80, 17);
        byte[] back = answer(frame, 80, 80);
        assertThat(Arrays.copyOf(back, 6)).isEqualTo(Arrays.copyOfRange(frame, 6, 12));
        assertThat(Arrays.copyOfRange(back, 6, 12)).isEqualTo(Arrays.copyOf(frame, 6));
        assertThat(Arrays.copyOfRange(back, 26, 30)).isEqualTo(Arrays.copyOfRange(frame, 30, 34));
        assertThat(Arrays.copyOfRange(back, 34, 36)).isEqualTo(Arrays.copyOfRange(frame, 36, 38));
        assertThat(answer(back, 80, 80)).as("twice is as before").isEqualTo(frame);
    }

    @Test
    void aPingBecomesItsReplyWithARightChecksum() {
        for (int seed = 0; seed < 200; seed++) {
            byte[] frame = ip(64, 1);
            byte[] payload = new byte[28];
            new Random(seed).nextBytes(payload);
            System.arraycopy(payload, 0, frame, 36, payload.length);
            frame[34] = 8;
            frame[35] = 0;
            frame[36] = 0;
            frame[37] = 0;
            int checksum = ~sum(frame, 34, 64) & 0xFFFF;
            frame[36] = (byte) (checksum >> 8);
            frame[37] = (byte) checksum;
            byte[] back = answer(frame, 64, 64);
            assertThat(back[34]).isZero();
            assertThat(sum(back, 34, 64)).as("seed %d", seed).isEqualTo(0xFFFF);
        }
    }

    @Test
    void otherFramesOnlyChangeStations() {
        byte[] frame = ip(60, 6);
        frame[12] = 0x08;
        frame[13] = 0x06;
        byte[] back = answer(frame, 60, 60);
        assertThat(Arrays.copyOfRange(back, 12, 60)).isEqualTo(Arrays.copyOfRange(frame, 12, 60));
    }

    @Test
    void shortFramesAreSafe() {
        for (int length = 0; length < 14; length++) {
            byte[] frame = ip(64, 1);
            assertThat(answer(frame, length, 0)).isEqualTo(frame);
        }
        for (int length = 14; length < 42; length++) {
            byte[] back = answer(ip(64, 17), length, length);
            assertThat(Arrays.copyOfRange(back, 14, 64)).isEqualTo(Arrays.copyOfRange(ip(64, 17), 14, 64));
        }
    }
}
