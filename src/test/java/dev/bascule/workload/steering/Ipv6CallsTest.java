package dev.bascule.workload.steering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.YieldPoint;
import dev.bascule.host.lauberhorn.BypassFrames;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.rpc.InternetChecksum;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.rpc.ValueType;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.WireClient;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A card at an IPv6 address: it is found, and its services are called. */
@Timeout(300)
class Ipv6CallsTest {
    private static final NicAddress HERE = new NicAddress(SteeredCard.MAC, SteeredCard.IPV4, 0xfd00L << 48, 7, 1,
            0xffff);

    @Test
    void aCallByIpv6IsAnswered() throws Exception {
        UdpFlow flow = SteeredCard.flow(0);
        flow.isIpv6 = true;
        flow.fromHigh = HERE.ipv6High();
        flow.fromLow = 8;
        flow.toHigh = HERE.ipv6High();
        flow.toLow = HERE.ipv6Low();
        int[] statuses = { -1 };
        try (SteeredCard card = new SteeredCard(HERE, Steering.HASH, 8, 60_000_000_000L,
                List.of(DemoService.number(0)))) {
            WireClient client = new WireClient(card.cable.get(1), flow,
                    (id, status, payload, offset, bytes) -> statuses[0] = status);
            client.call(5, DemoService.PROGRAM, 1, DemoService.WORK, DemoService.WORK_SIGNATURE,
                    new long[] { 0, 5, 0, ValueType.reference(4, 0) }, 32);
            card.step(() -> card.hasArrived());
            card.jobs.run(card.jobs.take(), YieldPoint.NONE);
            card.step(() -> client.poll(1) > 0 && statuses[0] >= 0);
            assertThat(statuses[0]).isZero();
        }
    }

    /** A solicitation as RFC 4861 draws it, from fe80::2 at 02:00:00:00:00:02, for this address. */
    private static byte[] solicitation() {
        byte[] frame = HexFormat.of().parseHex("3333ff000007" + "020000000002" + "86dd" + "60000000" + "0020" + "3a"
                + "ff" + "fe800000000000000000000000000002" + "ff0200000000000000000001ff000007" + "87000000"
                + "00000000" + "fd000000000000000000000000000007" + "0101020000000002");
        seal(frame);
        return frame;
    }

    private static void seal(byte[] frame) {
        frame[56] = 0;
        frame[57] = 0;
        int bytes = frame.length - 54;
        int sum = ~InternetChecksum
                .fold(InternetChecksum.add(frame, 54, bytes, InternetChecksum.add(frame, 22, 32, 58 + bytes)));
        frame[56] = (byte) (sum >>> 8);
        frame[57] = (byte) sum;
    }

    @Test
    void aNeighbourThatAsksIsToldTheEthernetAddress() {
        byte[] frame = Arrays.copyOf(solicitation(), 128);
        assertThat(new BypassFrames(HERE).answer(frame, 86)).isEqualTo(86);
        byte[] wanted = HexFormat.of().parseHex("020000000002" + "02004c420001" + "86dd" + "60000000" + "0020" + "3a"
                + "ff" + "fd000000000000000000000000000007" + "fe800000000000000000000000000002" + "88000000"
                + "60000000" + "fd000000000000000000000000000007" + "020102004c420001");
        seal(wanted);
        assertThat(Arrays.copyOf(frame, 86)).isEqualTo(wanted);
    }

    @Test
    void otherAddressesDamageAndDuplicateDetectionGetNoAnswer() {
        byte[] other = Arrays.copyOf(solicitation(), 128);
        other[77] = 9;
        byte[] damaged = Arrays.copyOf(solicitation(), 128);
        damaged[56] ^= 1;
        byte[] detection = solicitation();
        Arrays.fill(detection, 22, 38, (byte) 0);
        seal(detection);
        byte[] sealed = Arrays.copyOf(other, 86);
        seal(sealed);
        BypassFrames frames = new BypassFrames(HERE);
        for (byte[] frame : List.of(Arrays.copyOf(sealed, 128), damaged, Arrays.copyOf(detection, 128))) {
            assertThat(frames.answer(frame, 86)).isZero();
        }
        for (int length = 0; length < 86; length++) {
            assertThat(frames.answer(Arrays.copyOf(solicitation(), 128), length)).as("cut at %d", length).isZero();
        }
    }
}
