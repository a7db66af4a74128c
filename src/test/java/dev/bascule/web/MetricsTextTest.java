package dev.bascule.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.Counter;
import dev.bascule.host.CounterPage;
import dev.bascule.host.Distribution;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTextTest {
    @TempDir
    private Path directory = Path.of("");
    private CounterPage page;
    private final Hosts hosts = new Hosts();

    @BeforeEach
    void countSomething() {
        page = CounterPage.create(directory, "wave");
        page.set(Counter.CPUS, 2);
        page.set(Counter.DECISIONS, 100);
        page.set(Counter.STALE, 3);
        page.set(Counter.ABORTED, 2);
        page.set(Counter.LOCAL_DECISIONS, 7);
        page.set(Counter.BUSY_NANOS, 1_500_000_000);
        long[] counts = new long[Distribution.BOUNDS + 1];
        counts[0] = 1;
        counts[20] = 4;
        counts[Distribution.BOUNDS] = 2;
        page.set(Distribution.REQUEST_LATENCY, 2_000_000_000L, counts);
        hosts.follow(directory);
    }

    @AfterEach
    void close() {
        hosts.close();
        page.close();
    }

    private List<String> lines(boolean open) {
        return hosts.metrics(open).lines().toList();
    }

    @Test
    void decisionsAreCountedByWhoDecidedAndWhatBecameOfThem() {
        assertThat(lines(true)).contains(
                "bascule_agent_decisions_total{transport=\"wave\",outcome=\"enforced\"} 95",
                "bascule_agent_decisions_total{transport=\"wave\",outcome=\"stale\"} 3",
                "bascule_agent_decisions_total{transport=\"wave\",outcome=\"aborted\"} 2",
                "bascule_fallback_decisions_total{transport=\"wave\"} 7");
    }

    @Test
    void timesAreInSeconds() {
        assertThat(lines(true)).contains("# UNIT bascule_cpu_busy_seconds seconds",
                "bascule_cpu_busy_seconds_total{transport=\"wave\"} 1.5");
    }

    @Test
    void bucketsAddUpToTheCount() {
        assertThat(lines(true)).contains(
                "bascule_request_latency_seconds_bucket{transport=\"wave\",le=\"1.0E-7\"} 1",
                "bascule_request_latency_seconds_bucket{transport=\"wave\",le=\"1.0E-5\"} 5",
                "bascule_request_latency_seconds_bucket{transport=\"wave\",le=\"10\"} 5",
                "bascule_request_latency_seconds_bucket{transport=\"wave\",le=\"+Inf\"} 7",
                "bascule_request_latency_seconds_count{transport=\"wave\"} 7",
                "bascule_request_latency_seconds_sum{transport=\"wave\"} 2");
    }

    @Test
    void onlyOpenMetricsHasAnEndAndNamesACountersFamilyWithoutTotal() {
        assertThat(lines(true)).contains("# TYPE bascule_agent_fences counter").endsWith("# EOF");
        assertThat(lines(false)).contains("# TYPE bascule_agent_fences_total counter").doesNotContain("# EOF")
                .noneMatch(line -> line.startsWith("# UNIT"));
    }

    @Test
    void everyFamilyHasHelpAndTypeOnceAndBeforeItsSamples() {
        for (boolean open : List.of(true, false)) {
            Set<String> known = new HashSet<>();
            for (String line : lines(open)) {
                String[] words = line.split("[ {]", 4);
                if (line.startsWith("# TYPE ")) {
                    assertThat(known.add(words[2])).as(line).isTrue();
                } else if (!line.startsWith("#")) {
                    assertThat(known).as(line).anyMatch(family -> words[0].startsWith(family));
                }
            }
            assertThat(lines(open).stream().filter(line -> line.startsWith("# HELP ")).count())
                    .isEqualTo(known.size());
        }
    }

    @Test
    void withoutAHostThereIsNoMetric() {
        try (Hosts none = new Hosts()) {
            assertThat(none.metrics(true)).isEqualTo("# EOF\n");
            assertThat(none.metrics(false)).isEmpty();
        }
    }
}
