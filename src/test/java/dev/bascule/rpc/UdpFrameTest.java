package dev.bascule.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.rpc.UdpDecoder.Verdict;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class UdpFrameTest {

    private final UdpDecoder decoder = new UdpDecoder(2048);

    private Verdict decode(byte[] frame, int length, int beat) {
        decoder.begin();
        for (int at = 0; at < length; at += beat) {
            decoder.feed(frame, at, Math.min(beat, length - at));
        }
        return decoder.end();
    }

    private static UdpFlow flow(boolean isIpv6) {
        UdpFlow flow = new UdpFlow();
        flow.fromMac = 0x0200_0000_0001L;
        flow.toMac = 0x0200_0000_0002L;
        flow.isIpv6 = isIpv6;
        flow.fromHigh = isIpv6 ? 0xfd00_0000_0000_0000L : 0;
        flow.toHigh = flow.fromHigh;
        flow.fromLow = 0x0a01_0101;
        flow.toLow = 0x0a01_0102;
        flow.fromPort = 4000;
        flow.toPort = 111;
        return flow;
    }

    private static byte[] frame(UdpFlow flow, byte[] payload) {
        byte[] frame = new byte[UdpEncoder.MOST_HEADER_BYTES + payload.length];
        System.arraycopy(payload, 0, frame, UdpEncoder.MOST_HEADER_BYTES, payload.length);
        int start = UdpEncoder.wrap(flow, frame, UdpEncoder.MOST_HEADER_BYTES, payload.length);
        return Arrays.copyOfRange(frame, start, frame.length);
    }

    @Test
    void aDatagramComesOutAsItWentInWhateverTheBeat() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (boolean isIpv6 : new boolean[] { false, true }) {
            for (int length : new int[] { 0, 1, 7, 8, 63, 64, 65, 1472, 2048 }) {
                byte[] payload = new byte[length];
                random.nextBytes(payload);
                byte[] frame = frame(flow(isIpv6), payload);
                for (int beat : new int[] { 1, 3, 64, 9600 }) {
                    assertThat(decode(frame, frame.length, beat)).as("seed %d, %d bytes, beat %d", seed, length, beat)
                            .isEqualTo(Verdict.UDP);
                    assertThat(Arrays.copyOf(decoder.payload(), decoder.payloadBytes())).isEqualTo(payload);
                    assertThat(decoder.flow()).usingRecursiveComparison().isEqualTo(flow(isIpv6));
                }
            }
        }
    }

    @Test
    void aFlippedBitIsNoticed() {
        byte[] payload = { 1, 2, 3, 4, 5 };
        for (boolean isIpv6 : new boolean[] { false, true }) {
            byte[] good = frame(flow(isIpv6), payload);
            for (int bit = UdpDecoder.ETHERNET_BYTES * 8; bit < good.length * 8; bit++) {
                byte[] bad = good.clone();
                bad[bit >> 3] ^= (byte) (1 << (bit & 7));
                Verdict verdict = decode(bad, bad.length, 64);
                boolean isHeaderOnly = isIpv6 && (bit >> 3) < 14 + 8; // version, class, label, hop limit: no checksum
                if (!isHeaderOnly) {
                    assertThat(verdict).as("bit %d, IPv6 %s", bit, isIpv6).isNotEqualTo(Verdict.UDP);
                }
            }
        }
    }

    @Test
    void aFrameThatEndsEarlyIsTruncated() {
        byte[] good = frame(flow(false), new byte[40]);
        for (int length = 0; length < good.length; length++) {
            assertThat(decode(good, length, 64)).as("%d bytes", length).isEqualTo(Verdict.TRUNCATED);
        }
        byte[] padded = Arrays.copyOf(good, good.length + 20);
        assertThat(decode(padded, padded.length, 64)).as("filled up").isEqualTo(Verdict.UDP);
        assertThat(decoder.payloadBytes()).isEqualTo(40);
    }

    @Test
    void fragmentsOtherProtocolsAndLiesAboutLengthsAreNamed() {
        assertThat(decode(changed(20, 0x20), 64, 64)).isEqualTo(Verdict.FRAGMENT);
        assertThat(decode(changed(23, 6), 64, 64)).isEqualTo(Verdict.OTHER);
        assertThat(decode(changed(13, 6), 64, 64)).as("ARP").isEqualTo(Verdict.OTHER);
        assertThat(decode(changed(14, 0x44), 64, 64)).as("header of 16 bytes").isEqualTo(Verdict.BAD_LENGTH);
        assertThat(decode(changed(38, 0xff), 64, 64)).as("longer than IP says").isEqualTo(Verdict.BAD_LENGTH);
        assertThat(decode(changed(39, 7), 64, 64)).as("shorter than its header").isEqualTo(Verdict.BAD_LENGTH);
        assertThat(decode(changed(25, 1), 64, 64)).isEqualTo(Verdict.BAD_IP_CHECKSUM);
        UdpDecoder small = new UdpDecoder(16);
        byte[] frame = frame(flow(false), new byte[17]);
        small.begin();
        small.feed(frame, 0, frame.length);
        assertThat(small.end()).isEqualTo(Verdict.TOO_LONG);
    }

    /** A frame with one byte changed, the IP header's checksum mended unless it is what was changed. */
    private static byte[] changed(int at, int value) {
        byte[] frame = Arrays.copyOf(frame(flow(false), new byte[16]), 64);
        frame[at] = (byte) value;
        if (at != 25) {
            frame[24] = 0;
            frame[25] = 0;
            int checksum = ~InternetChecksum.fold(InternetChecksum.add(frame, 14, 20, 0));
            frame[24] = (byte) (checksum >>> 8);
            frame[25] = (byte) checksum;
        }
        return frame;
    }
}
