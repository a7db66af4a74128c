package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.host.TimeHistogram;
import dev.bascule.json.JsonReader;
import dev.bascule.run.Errors;
import dev.bascule.run.Summary;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** RFC 2544's tests of a device that is known: it forwards so many frames a second, and has room for some more. */
class PktgenSearchTest {
    private static final double CAPACITY = 123_456;
    private static final long ROOM = 777;

    /** The port gives 200,000 frames a second once it is warm; the device loses what is beyond its capacity and room. */
    private static final class Device implements PktgenSearch.Tester {
        private final List<Long> rates = new ArrayList<>();
        private final long link;
        private double port = 25_000;
        private int cancelAt = Integer.MAX_VALUE;
        private long always;

        Device(long link) {
            this.link = link;
        }

        @Override
        public PktgenSearch.Trial run(List<byte[]> frames, long rate, long count, boolean waits) {
            if (rates.size() == cancelAt) {
                throw new CancellationException();
            }
            rates.add(rate);
            port = Math.min(200_000, port * 2);
            double sends = rate == 0 ? port : Math.min(rate, 200_000);
            double seconds = count == 0 ? 2 : count / sends;
            long sent = count == 0 ? Math.round(sends * seconds) : count;
            long taken = waits ? sent : Math.round(CAPACITY * seconds + ROOM);
            TimeHistogram latency = TimeHistogram.single();
            for (int i = 0; i < 2_000; i++) {
                latency.record(5_000);
            }
            return new PktgenSearch.Trial(sent, Math.max(0, sent - taken) + always, seconds, latency);
        }

        @Override
        public long linkRate(int lengthBytes) {
            return link;
        }
    }

    private static Map<?, ?> first(List<?> rows) {
        return (Map<?, ?>) rows.getFirst();
    }

    private static List<?> search(PktgenSearch.Tester tester, String... words) throws Exception {
        StringWriter out = new StringWriter();
        assertThat(search(tester, out, words)).isZero();
        return (List<?>) ((Map<?, ?>) JsonReader.parse(out.toString())).get("frames");
    }

    private static int search(PktgenSearch.Tester tester, StringWriter out, String... words) {
        PktgenSearch search = new PktgenSearch();
        new CommandLine(CommandLine.Model.CommandSpec.create().addMixin("search",
                CommandLine.Model.CommandSpec.forAnnotatedObject(search))).parseArgs(words);
        return search.run(List.of(64, 1518), 0, tester, new Summary(), true, new PrintWriter(out, true));
    }

    private static double number(Map<?, ?> row, String key) {
        return ((Number) row.get(key)).doubleValue();
    }

    @Test
    void throughputIsTheHighestRateWithoutLoss() throws Exception {
        List<?> rows = search(new Device(0), "--search", "--precision", "0.001");
        assertThat(rows).hasSize(2);
        assertThat(number(first(rows), "packetsPerSecond")).isCloseTo(CAPACITY + ROOM / 2.0, within(200.0))
                .isLessThanOrEqualTo(CAPACITY + ROOM / 2.0);
        assertThat(number(first(rows), "highestRatePacketsPerSecond")).as("a port is warm first").isEqualTo(200_000);
    }

    @Test
    void aLinksSpeedIsTheHighestRateAndWhatThePortCannotDoIsNotTheResult() throws Exception {
        Device slow = new Device(100_000);
        assertThat(number(first(search(slow, "--search")), "packetsPerSecond")).isEqualTo(100_000);
        assertThat(slow.rates).as("one trial a length").containsExactly(100_000L, 100_000L);
        Map<?, ?> row = first(search(new Device(400_000), "--search", "--precision", "0.001"));
        assertThat(number(row, "packetsPerSecond")).isCloseTo(CAPACITY + ROOM / 2.0, within(500.0));
    }

    @Test
    void lossIsTheShareAtEachRateUntilTwoAreWithout() throws Exception {
        List<?> rows = search(new Device(200_000), "--search", "loss");
        List<?> small = rows.stream().filter(row -> number((Map<?, ?>) row, "bytes") == 64).toList();
        assertThat(small).as("100, 90, 80, 70 lose; 60 and 50 do not").hasSize(6);
        assertThat(number(first(small), "lost")).isEqualTo(Math.round(400_000 - 2 * CAPACITY - ROOM));
        assertThat(number((Map<?, ?>) small.get(4), "lost")).isZero();
        assertThat(number((Map<?, ?>) small.get(3), "lost")).isPositive();
    }

    @Test
    void backToBackIsTheLongestBurstThatFits() throws Exception {
        Map<?, ?> row = first(search(new Device(0), "--search", "back-to-back", "--precision", "0.00001"));
        double fits = ROOM / (1 - CAPACITY / 200_000);
        assertThat(number(row, "longestBurstPackets")).isCloseTo(fits, within(10.0));
    }

    @Test
    void latencyIsThatAtTheThroughput() throws Exception {
        Map<?, ?> row = first(search(new Device(0), "--search", "latency"));
        assertThat(number(row, "packetsPerSecond")).isCloseTo(CAPACITY, within(2_500.0));
        assertThat(number(row, "latencyP50Us")).isCloseTo(5, within(0.1));
        assertThat(row.get("latencyP999Us")).as("of 2,000 frames").isNull();
    }

    @Test
    void whatIsToleratedIsNoLossAndADeviceThatAlwaysLosesHasNoThroughput() throws Exception {
        Device leaky = new Device(0);
        leaky.always = 3;
        assertThat(number(first(search(leaky, "--search")), "packetsPerSecond")).isZero();
        assertThat(first(search(leaky, "--search", "latency")).get("whyNot"))
                .isEqualTo("frames were lost at every rate");
        assertThat(number(first(search(leaky, "--search", "--tolerance", "0.001")), "packetsPerSecond"))
                .isCloseTo(CAPACITY, within(2_500.0));
    }

    @Test
    void aDeviceThatSendsNothingBackIsAFailure() throws Exception {
        StringWriter out = new StringWriter();
        PktgenSearch.Tester open = new PktgenSearch.Tester() {
            @Override
            public PktgenSearch.Trial run(List<byte[]> frames, long rate, long count, boolean waits) {
                return new PktgenSearch.Trial(1_000, 1_000, 1, TimeHistogram.single());
            }

            @Override
            public long linkRate(int lengthBytes) {
                return 1_000;
            }
        };
        assertThat(search(open, out, "--search")).isEqualTo(Errors.FAILED);
        assertThat(number(first((List<?>) ((Map<?, ?>) JsonReader.parse(out.toString())).get("frames")),
                "packetsPerSecond")).isZero();
    }

    @Test
    void wordsThatASearchWouldIgnoreAreRefused() {
        assertThat(Cli.callOne("pktgen", "--search", "--count", "5")).satisfies(this::isMisuse);
        assertThat(Cli.callOne("pktgen", "--search", "--pace", "recorded")).satisfies(this::isMisuse);
    }

    private void isMisuse(Cli ran) {
        assertThat(ran.status()).as(ran.err()).isEqualTo(2);
        assertThat(ran.err()).contains("leave --count and --pace out");
    }

    @Test
    void ctrlCPrintsTheLengthsThatWereTested() throws Exception {
        Device device = new Device(100_000);
        device.cancelAt = 1;
        StringWriter out = new StringWriter();
        assertThat(search(device, out, "--search")).isEqualTo(Errors.INTERRUPTED);
        assertThat((List<?>) ((Map<?, ?>) JsonReader.parse(out.toString())).get("frames")).hasSize(1);
    }
}
