package dev.bascule.study.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

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

    /** The jobs' work and the residents' are all there is; weights and pauses say who has how much. */
    @Test
    void residentsStandBesideTheJobs() {
        String cfs = "mix=ghost-fifo load=0.3 jobs=20000 policy=cfs transport=on-host residents=";
        SimResult alone = run(cfs + "0");
        assertThat(alone.residents()).isEmpty();
        SimResult both = run(cfs + "2:nice=0+2:nice=5");
        assertThat(both.residents()).hasSize(4);
        assertThat(both.residentShare(0, 4)).isCloseTo(both.time().resident() / (2.0 * both.lastNanos()), within(1e-9));
        assertThat(both.residentShare(0, 2) / both.residentShare(2, 4)).as("1.25^5")
                .isCloseTo(Math.pow(1.25, 5), within(0.5));
        assertThat(both.utilisation()).isGreaterThan(0.9).isGreaterThan(2 * alone.utilisation());
        SimResult paused = run("load=0.1 jobs=20000 policy=shinjuku-best-effort residents=1:run=300us:pause=700us");
        assertThat(paused.residentShare(0, 1)).as("of two CPUs").isCloseTo(0.15, within(0.02));
        SimResult bound = run("load=0.1 policy=shinjuku-best-effort residents=2:cpus=1");
        assertThat(bound.residentShare(0, 2)).as("one CPU less what jobs take there").isBetween(0.4, 0.5);
    }

    @ParameterizedTest
    @ValueSource(strings = { "residents=-1", "residents=4097", "residents=x", "residents=1:nice=20",
            "residents=1:run=1ms",
            "residents=1:run=1:pause=1ms", "residents=1:prio=3", "residents=1:cpus=3-1", "residents=1:cpus=2-3",
            "residents=4000+97", "residents=1+", "residents=2 mix=vm", "residents=2 hosts=2" })
    void residentsThatAreNoneAreNamed(String words) {
        assertThatThrownBy(() -> run(words)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words.split(" ")[0]);
    }

    /** The better the hints the shorter the queue; of jobs of one length the mean is as good as the length itself. */
    @Test
    void shortestFirstIsAsGoodAsItsHints() {
        String sjf = "mix=tpcc load=0.8 jobs=20000 cpus=1 transport=on-host policy=sjf hints=";
        double exact = run(sjf + "exact").allSojourns().mean();
        double noisy = run(sjf + "noisy:1.5").allSojourns().mean();
        double none = run(sjf + "none").allSojourns().mean();
        assertThat(exact).isLessThan(0.9 * noisy);
        assertThat(noisy).isLessThan(0.98 * none);
        assertThat(run(sjf + "given").allSojourns().mean()).isEqualTo(exact);
        String oneClass = "mix=exponential load=0.2 cpus=1 policy=sjf hints=";
        assertThat(run(oneClass + "given").allSojourns().mean()).as("the mean of the only class tells nothing")
                .isEqualTo(run(oneClass + "none").allSojourns().mean());
        assertThat(run(sjf + "noisy:0").allSojourns().mean()).isEqualTo(exact);
        String heavy = "mix=skyloft load=0.6 jobs=20000 transport=on-host policy=sjf policy.preempt=true hints=";
        assertThat(run(heavy + "exact").allSlowdowns().mean()).as("mean slowdown where few jobs are most of the work")
                .isLessThan(0.05 * run(heavy + "none").allSlowdowns().mean());
        String edf = "load=0.8 jobs=5000 cpus=1 mix=high-bimodal policy=";
        assertThat(run(edf + "edf hints=none").allSojourns().mean()).as("no deadlines either")
                .isEqualTo(run(edf + "fifo").allSojourns().mean());
    }

    @ParameterizedTest
    @ValueSource(strings = { "hints=perfect", "hints=noisy", "hints=noisy:", "hints=noisy:-1", "hints=noisy:x",
            "hints=none mix=vm" })
    void hintsThatAreNoneAreNamed(String words) {
        assertThatThrownBy(() -> run(words)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words.split(" ")[0]);
    }

    @Test
    void aQueueBesideResidentsRemembersAsLongAsWithoutThem() {
        String jobs = "load=0.5 jobs=20000 policy=shinjuku-best-effort transport=on-host residents=";
        Map<String, String> given = Map.of("cpus", "2");
        double alone = PointSpec.of(given).length(run(jobs + "0")).busy();
        assertThat(PointSpec.of(given).length(run(jobs + "2")).busy()).isCloseTo(alone, within(0.05));
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
