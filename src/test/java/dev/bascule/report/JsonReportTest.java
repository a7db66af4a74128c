package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class JsonReportTest {
    @SuppressWarnings("unchecked")
    private static Map<String, Object> parse(RunReport report) {
        return (Map<String, Object>) new Load(LoadSettings.builder().build())
                .loadFromString(JsonReport.of(report).pretty());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> in(Object map, String key) {
        return (Map<String, Object>) ((Map<String, Object>) map).get(key);
    }

    @Test
    void eachTransportHasWhatAComparisonNeeds() {
        Map<String, Object> document = parse(SampleReport.three("loopback"));
        List<?> transports = (List<?>) document.get("transports");
        assertThat(transports).hasSize(3).allSatisfy(t -> {
            assertThat(in(t, "requests")).containsKeys("offered", "served", "rejected", "lost", "duplicated",
                    "wrongAnswers", "offeredPerSecond", "servedPerSecond");
            assertThat(in(t, "requests")).containsEntry("lost", 0).containsEntry("duplicated", 0);
            assertThat(in(t, "latencyMicros")).containsKeys("p50", "p99", "p999", "max");
            assertThat(in(t, "windowMicros")).containsKeys("p50", "p99", "p999");
            assertThat(in(t, "decisions")).containsKeys("made", "perSecond", "stale", "aborted", "prestageHits",
                    "local");
            assertThat(in(t, "resources")).containsKeys("agentCpuSeconds", "hostCpuSeconds", "agentRestarts",
                    "residentMiB");
        });
    }

    @Test
    void classesOfRequestsHaveNamesCountsAndPercentiles() {
        Object wave = ((List<?>) parse(SampleReport.three("loopback")).get("transports")).get(1);
        List<?> classes = (List<?>) ((Map<?, ?>) wave).get("classes");
        assertThat(classes).hasSize(2);
        assertThat(in(Map.of("it", classes.getLast()), "it")).containsEntry("name", "RANGE").containsEntry("count",
                1_500);
        assertThat(in(classes.getLast(), "latencyMicros")).containsKeys("p50", "p99", "p999");
    }

    @Test
    void whatWasNotMeasuredIsNull() {
        Object local = ((List<?>) parse(SampleReport.three("loopback")).get("transports")).getFirst();
        assertThat(in(local, "decisions")).containsEntry("prestageHits", null).containsEntry("made", 298_000);
    }

    @Test
    void theDocumentSaysWhetherTheLinkIsSimulatedAndWhereItsConstantsComeFrom() {
        assertThat(parse(SampleReport.three("loopback"))).containsEntry("simulatedLink", false)
                .containsEntry("schema", "bascule-run/1").containsEntry("seed", 7);
        Map<String, Object> simulated = parse(SampleReport.three("loopback-pcie-gen3"));
        assertThat(simulated).containsEntry("simulatedLink", true);
        assertThat(in(in(in(simulated, "config"), "link"), "mmioReadUc")).containsEntry("nanos", 750)
                .containsEntry("confidence", "second-hand");
    }

    @Test
    void sweepAndHistogramAreComplete() {
        RunReport report = SampleReport.three("loopback");
        Map<?, ?> wave = (Map<?, ?>) ((List<?>) parse(report).get("transports")).get(1);
        assertThat((List<?>) wave.get("curve")).hasSize(report.results().get(1).curve().size());
        long sum = ((List<?>) wave.get("windowHistogram")).stream()
                .mapToLong(b -> ((Number) ((Map<?, ?>) b).get("count")).longValue()).sum();
        assertThat(sum).isEqualTo(50_000);
    }
}
