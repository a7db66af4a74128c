package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The table's fairness and stability, and what happens to packets. */
class MaglevTest {
    private static final MaglevTable ONE = new MaglevTable(List.of("a"));

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "backend-" + i).toList();
    }

    @Test
    void sharesDifferByLittle() {
        for (int count : new int[] { 1, 2, 3, 10, 1000 }) {
            int[] shares = new MaglevTable(names(count)).shares();
            assertThat(shares).hasSize(count);
            assertThat(Arrays.stream(shares).sum()).isEqualTo(MaglevTable.ENTRIES);
            assertThat(Arrays.stream(shares).max().orElseThrow() - Arrays.stream(shares).min().orElseThrow())
                    .isLessThanOrEqualTo(1);
        }
    }

    @Test
    void oneBackEndLessMovesFewOthers() {
        List<String> all = names(50);
        List<String> fewer = new ArrayList<>(all);
        fewer.removeLast();
        MaglevTable before = new MaglevTable(all);
        MaglevTable after = new MaglevTable(fewer);
        int moved = 0;
        for (int i = 0; i < MaglevTable.ENTRIES; i++) {
            moved += before.backend(i) != 49 && before.backend(i) != after.backend(i) ? 1 : 0;
        }
        assertThat(moved).isLessThan(MaglevTable.ENTRIES / 10);
    }

    @Test
    void badTablesAreRefused() {
        assertThatThrownBy(() -> new MaglevTable(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new MaglevTable(List.of("a", "a"))).isInstanceOf(IllegalArgumentException.class);
        MaglevTable one = new MaglevTable(names(1));
        assertThatThrownBy(() -> new Maglev(one, new int[] { 1 }, 3)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void packetsOfAConnectionGoToOneBackEndWithRightChecksums() {
        int[] addresses = IntStream.range(0, 10).map(i -> 0x0A010000 + i).toArray();
        Maglev maglev = new Maglev(new MaglevTable(names(10)), addresses, 1024);
        int[] seen = new int[10];
        for (int flow = 0; flow < 500; flow++) {
            int first = 0;
            for (int packet = 0; packet < 3; packet++) {
                MemorySegment frame = flow % 2 == 0
                        ? AppFrames.udp(flow * 77, 1000 + flow, 80, new byte[flow % 50])
                        : AppFrames.tcp(flow * 77, 1000 + flow, 80);
                int length = AppFrames.length(frame);
                assertThat(maglev.process(frame, 0, length)).isEqualTo(length);
                int address = Headers.i32(frame, Headers.DESTINATION_IP);
                assertThat(AppFrames.headerSum(frame)).isEqualTo(0xFFFF);
                assertThat(AppFrames.transportSum(frame, length - 34)).isZero();
                if (packet == 0) {
                    first = address;
                    seen[address - addresses[0]]++;
                }
                assertThat(address).isEqualTo(first);
            }
        }
        assertThat(seen).doesNotContain(0);
        assertThat(maglev.cached()).isGreaterThan(900);
        assertThat(maglev.cached() + maglev.looked()).isEqualTo(1500);
    }

    /** A checksum of 0 in UDP says that there is none; the sum is written as FFFF then. */
    @Test
    void aUdpChecksumNeverBecomesNone() {
        int zeros = 0;
        for (int i = 0; i < 0x20000; i++) {
            MemorySegment frame = AppFrames.udp(0x0A000001, 1000, 80, new byte[] { (byte) (i >> 8), (byte) i });
            if (Headers.u16(frame, Headers.UDP_CHECKSUM) == 0) {
                Headers.putU16(frame, Headers.UDP_CHECKSUM, 0xFFFF); // as a sender does
            }
            Maglev maglev = new Maglev(ONE, new int[] { 0x0A010000 + (i >> 16) }, 1);
            maglev.process(frame, 0, 44);
            int sum = Headers.u16(frame, Headers.UDP_CHECKSUM);
            assertThat(sum).as("packet %d", i).isNotZero();
            zeros += sum == 0xFFFF ? 1 : 0;
        }
        assertThat(zeros).as("packets whose sum is 0").isPositive();
    }

    /** The cache, not the table, keeps a connection where it is. */
    @Test
    void aConnectionStaysWithItsBackEndWhenOthersComeAndGo() {
        int[] addresses = IntStream.range(0, 50).map(i -> 0x0A010000 + i).toArray();
        Maglev maglev = new Maglev(new MaglevTable(names(50)), addresses, 1 << 20);
        Maglev cacheless = new Maglev(new MaglevTable(names(50)), addresses, 1);
        int[] before = IntStream.range(0, 300).map(flow -> sentTo(maglev, flow)).toArray();
        List<String> fewer = new ArrayList<>(names(60));
        fewer.subList(20, 30).clear(); // ten go, ten come
        int[] fewerAddresses = fewer.stream().mapToInt(name -> 0x0A010000 + Integer.parseInt(name.substring(8)))
                .toArray();
        maglev.backends(new MaglevTable(fewer), fewerAddresses);
        cacheless.backends(new MaglevTable(fewer), fewerAddresses);
        int moved = 0;
        for (int flow = 0; flow < before.length; flow++) {
            int now = sentTo(maglev, flow);
            boolean gone = before[flow] >= 0x0A010000 + 20 && before[flow] < 0x0A010000 + 30;
            if (!gone) {
                assertThat(now).as("flow %d", flow).isEqualTo(before[flow]);
            }
            assertThat(fewerAddresses).contains(now);
            moved += !gone && sentTo(cacheless, flow) != before[flow] ? 1 : 0;
        }
        assertThat(moved).as("flows that the table alone would have moved").isPositive();
    }

    private static int sentTo(Maglev maglev, int flow) {
        MemorySegment frame = AppFrames.udp(flow, 1000 + flow, 80, new byte[20]);
        maglev.process(frame, 0, AppFrames.length(frame));
        return Headers.i32(frame, Headers.DESTINATION_IP);
    }

    @Test
    void whatHasNoPortsIsDropped() {
        Maglev maglev = new Maglev(new MaglevTable(names(2)), new int[] { 1, 2 }, 16);
        MemorySegment frame = AppFrames.udp("x");
        Headers.putU16(frame, Headers.TYPE, 0x86DD);
        assertThat(maglev.process(frame, 0, 60)).isZero();
        assertThat(maglev.process(AppFrames.udp("x"), 0, 30)).isZero(); // cut short
        MemorySegment fragment = AppFrames.udp("x");
        Headers.putU16(fragment, Headers.IP + 6, 100);
        assertThat(maglev.process(fragment, 0, 60)).isZero();
        assertThat(maglev.dropped()).isEqualTo(3);
    }
}
