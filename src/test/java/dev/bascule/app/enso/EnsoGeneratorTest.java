package dev.bascule.app.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.app.ZeroLossSearch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The generator on the model in virtual time: loss, round trips, and the search for the highest rate. */
class EnsoGeneratorTest {
    private static final List<byte[]> FRAMES = List.of(Traffic.udp(1, 2, 64), Traffic.udp(3, 4, 200),
            Traffic.udp(5, 6, 1000));

    @Test
    void everyPacketComesBackWithItsRoundTrip() {
        try (SimulatedLink link = new SimulatedLink(100e6, 512, 1000)) {
            EnsoGenerator done = link.run(FRAMES, 4, 20_000, 0.2);
            assertThat(done.sent()).isEqualTo(20_000);
            assertThat(done.received()).isEqualTo(20_000);
            assertThat(done.malformed()).isZero();
            assertThat(done.rtt().count()).isEqualTo(20_000);
            assertThat(done.rtt().percentile(50)).isBetween(200.0, 220.0); // the link's delay and its service
            assertThat(done.rtt().max()).isGreaterThanOrEqualTo(Math.round(done.rtt().percentile(50)));
        }
    }

    @Test
    void runsAreTheSame() {
        List<List<Long>> runs = List.of(new ArrayList<>(), new ArrayList<>());
        for (List<Long> run : runs) {
            try (SimulatedLink link = new SimulatedLink(20e6, 64, 2000)) {
                link.run(FRAMES, 2, 5000, 0.5).rtt().buckets((low, high, packets) -> run.addAll(List.of(low, packets)));
            }
        }
        assertThat(runs.get(0)).isNotEmpty().isEqualTo(runs.get(1));
    }

    @Test
    void theRateIsTheCardsOwn() {
        try (SimulatedLink link = new SimulatedLink(1e9, 512, 1000)) {
            double before = link.seconds();
            link.run(List.of(Traffic.udp(1, 2, 64)), 1, 50_000, 0.1);
            assertThat(50_000 / (link.seconds() - before)).isCloseTo(20e6, within(2e6));
        }
    }

    /** More than one chunk holds; told apart by length, whose sum is known. */
    @Test
    void everyFrameOfALongListIsSentEquallyOften() {
        List<byte[]> frames = new ArrayList<>();
        long bytes = 0;
        for (int i = 0; i < 900; i++) {
            int length = i < 100 ? 64 : 1000 + i % 500;
            frames.add(Traffic.udp(1, i, length));
            bytes += length;
        }
        try (SimulatedLink link = new SimulatedLink(1e9, 512, 1000)) {
            EnsoGenerator done = link.run(frames, 2, 3 * 900, 0.2);
            assertThat(done.received()).isEqualTo(3 * 900);
            assertThat(done.receivedBytes()).isEqualTo(3 * bytes);
        }
        try (SimulatedLink link = new SimulatedLink(1e9, 512, 1000)) {
            assertThat(link.run(FRAMES, 2, 3 * 700, 0.2).receivedBytes()).as("a short list, too")
                    .isEqualTo(700 * (64 + 200 + 1000));
        }
    }

    /** 64 bytes with their check sequence are 84 on the wire: 148.8 million a second (IEEE 802.3). */
    @Test
    void ethernetIsTheLimitAlsoOfAFastDevice() {
        List<byte[]> smallest = List.of(Traffic.udp(1, 2, 60));
        assertThat(SimulatedLink.lineShare(smallest)).isCloseTo(0.744, within(0.0001));
        try (SimulatedLink link = new SimulatedLink(1e9, 512, 1000)) {
            assertThat(link.run(smallest, 2, 50_000, 1).received()).isEqualTo(50_000);
            assertThat(link.packetsPerSecond()).isCloseTo(148.81e6, within(0.05e6));
        }
        assertThat(SimulatedLink.lineShare(List.of(Traffic.udp(1, 2, 65)))).isEqualTo(1);
    }

    @Test
    void theSearchFindsWhatTheDeviceUnderTestCanDo() {
        List<ZeroLossSearch.Trial> trials = ZeroLossSearch.run(0.005, share -> {
            try (SimulatedLink link = new SimulatedLink(50e6, 64, 500)) {
                EnsoGenerator done = link.run(List.of(Traffic.udp(1, 2, 64)), 2, 30_000, share);
                return new ZeroLossSearch.Trial(share, done.sent(), done.sent() - done.received());
            }
        });
        assertThat(trials.getFirst().lost()).isPositive();
        assertThat(ZeroLossSearch.result(trials)).isCloseTo(0.25, within(0.02)); // 50 of 200 million per second
    }

    @Test
    void aSearchWithoutLossNeedsOneTrialAndOneWithNothingButLossEnds() {
        List<ZeroLossSearch.Trial> good = ZeroLossSearch.run(0.01, share -> new ZeroLossSearch.Trial(share, 1, 0));
        assertThat(good).hasSize(1);
        assertThat(ZeroLossSearch.result(good)).isEqualTo(1);
        List<ZeroLossSearch.Trial> bad = ZeroLossSearch.run(0.01, share -> new ZeroLossSearch.Trial(share, 1, 1));
        assertThat(bad.size()).isLessThan(12);
        assertThat(ZeroLossSearch.result(bad)).isZero();
        assertThatThrownBy(() -> ZeroLossSearch.run(0, share -> good.getFirst()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nothingToSendIsRefused() {
        try (SimulatedLink link = new SimulatedLink(1e6, 1, 0)) {
            assertThatThrownBy(() -> link.run(List.of(), 1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> link.run(FRAMES, 3, 1, 1)).hasMessageContaining("power of two");
        }
    }
}
