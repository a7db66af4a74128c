package dev.bascule.study.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.SimResult;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Points as a researcher writes them: own mixes of jobs, and times with units. */
class PointSpecTest {
    private static final CostProfile COSTS = CostProfiles.load("published");

    private static SimResult run(String words) {
        Map<String, String> given = new LinkedHashMap<>(Map.of("cpus", "2", "jobs", "2000"));
        for (String word : words.split(" ")) {
            given.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
        }
        return PointSpec.of(given).run(COSTS, null);
    }

    @Test
    void aMixOfTwoTimesOfOnesOwnIsThePublishedOneWithTheSameTimes() {
        JobMix own = JobMix.named("bimodal:0.995:4us:10ms");
        assertThat(own.meanNanos()).isEqualTo(JobMix.named("skyloft").meanNanos());
        assertThat(own.kinds()).extracting(JobMix.Kind::name).containsExactly("short", "long");
        assertThat(run("mix=bimodal:0.5:1us:100us policy=shinjuku").allSojourns().percentile(99))
                .isEqualTo(run("mix=high-bimodal policy=shinjuku").allSojourns().percentile(99));
    }

    @ParameterizedTest
    @ValueSource(strings = { "quantum=5us|quantum=5000", "latency=0.5us|latency=500",
            "clients=3 think=1ms|clients=3 think=1000000", "hosts=2 wire=7us|hosts=2 wire=7000",
            "mix=chain stages=3us:5000|mix=chain stages=3000:5us" })
    void aTimeMayHaveAUnit(String pair) {
        String[] both = pair.split("\\|");
        String policy = both[0].startsWith("quantum") ? " policy=shinjuku mix=high-bimodal" : "";
        SimResult first = run(both[0] + policy);
        SimResult second = run(both[1] + policy);
        assertThat(first.allSojourns().mean()).isEqualTo(second.allSojourns().mean());
        assertThat(first.lastNanos()).isEqualTo(second.lastNanos());
    }

    @Test
    void burstsWaitLongerThanTheSameJobsOneByOne() {
        Map<String, String> even = Map.of("mix", "ghost-fifo", "cpus", "2", "jobs", "2000", "load", "0.5");
        Map<String, String> uneven = new LinkedHashMap<>(even);
        uneven.put("arrivals", "bursts:16");
        SimResult one = PointSpec.of(even).run(COSTS, null);
        SimResult many = PointSpec.of(uneven).run(COSTS, null);
        assertThat(many.allSojourns().mean()).isGreaterThan(2 * one.allSojourns().mean());
        assertThat(PointSpec.of(uneven).length(many).memoryNanos()).as("a queue of bursts remembers longer")
                .isGreaterThan(4 * PointSpec.of(even).length(one).memoryNanos());
    }

    @ParameterizedTest
    @ValueSource(strings = { "mix=exponential clients=3 arrivals=bursts:2", "mix=chain arrivals=bursts:2",
            "mix=vm arrivals=onoff:1ms:9ms" })
    void arrivalsAreOfAnOpenLoopOfJobs(String words) {
        assertThatThrownBy(() -> run(words)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leave arrivals out");
    }

    @ParameterizedTest
    @ValueSource(strings = { "mix=bimodal:0.5:1us", "mix=bimodal:1.5:1us:2us", "mix=bimodal:0.5:1:2us",
            "mix=bimodal:x:1us:2us", "quantum=5parsec", "latency=us", "mix=chain stages=3us:5x" })
    void whatIsNoneIsNamed(String words) {
        String last = words.substring(words.lastIndexOf(' ') + 1);
        assertThatThrownBy(() -> run(words)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(last.substring(last.indexOf('=') + 1));
    }
}
