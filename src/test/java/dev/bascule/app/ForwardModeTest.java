package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.nic.MacAddress;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Modes of forwarding, frame by frame; {@code ForwardModesTest} sets them beside testpmd's. */
class ForwardModeTest {
    private static final MacAddress OWN = MacAddress.parse("02:00:00:00:00:aa");
    private static final MacAddress PEER = MacAddress.parse("02:00:00:00:00:bb");

    private static String sent(ForwardMode mode, byte[] frame) {
        byte[] copy = frame.clone();
        int length = mode.processor(new ForwardMode.Place(OWN, PEER, 4096, 3))
                .process(MemorySegment.ofArray(copy), 0, copy.length);
        return HexFormat.of().formatHex(copy, 0, length);
    }

    @Test
    void noisyAndIoSendWhatCameAndRxonlyNothing() {
        FrameKinds.all().values().forEach(frame -> {
            assertThat(sent(ForwardMode.IO, frame)).isEqualTo(HexFormat.of().formatHex(frame));
            assertThat(sent(ForwardMode.NOISY, frame)).isEqualTo(HexFormat.of().formatHex(frame));
            assertThat(sent(ForwardMode.RXONLY, frame)).isEmpty();
        });
    }

    @Test
    void checksumsThatWereWrongAreRightAndOneThatIsNotThereStaysSo() {
        byte[] right = Probe.frame(101, 7);
        assertThat(sent(ForwardMode.CSUM, right)).startsWith("0200000000bb0200000000aa0800")
                .endsWith(HexFormat.of().formatHex(right, 12, 101));
        byte[] wrong = right.clone();
        wrong[24] ^= 0x55;
        assertThat(sent(ForwardMode.CSUM, wrong)).isEqualTo(sent(ForwardMode.CSUM, right));
        byte[] summed = right.clone();
        summed[40] = 1;
        String first = sent(ForwardMode.CSUM, summed);
        summed[40] = 2;
        assertThat(sent(ForwardMode.CSUM, summed)).isEqualTo(first).isNotEqualTo(sent(ForwardMode.CSUM, right));
    }

    @Test
    void pingsAndArpRequestsAreAnsweredAndNothingElse() {
        Map<String, String> answered = new TreeMap<>();
        FrameKinds.all().forEach((name, frame) -> {
            String answer = sent(ForwardMode.ICMPECHO, frame);
            if (!answer.isEmpty()) {
                answered.put(name, answer);
            }
        });
        assertThat(answered).containsOnlyKeys("ARP", "ARP, padded", "first fragment, ping", "ping", "tag with ARP");
        assertThat(answered.get("ARP")).as("its own station, for whatever address")
                .isEqualTo("0200000000010200000000aa080600010800060400020200000000aa0a0405060200000000010a010203");
    }

    @Test
    void aFrameOfAnyLengthIsReadWithinItself() {
        byte[] frame = Probe.ping(200, 3);
        for (ForwardMode mode : ForwardMode.values()) {
            for (int length = 0; length <= frame.length; length++) {
                byte[] cut = java.util.Arrays.copyOf(frame, length);
                assertThat(sent(mode, cut).length()).as("%s of %d bytes", mode.word(), length).isIn(0, 2 * length);
            }
        }
        assertThat(sent(ForwardMode.ICMPECHO, frame)).startsWith("020000000001020000000002");
    }
}
