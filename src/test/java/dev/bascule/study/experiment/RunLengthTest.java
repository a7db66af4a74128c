package dev.bascule.study.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.OpenLoad;
import dev.bascule.study.sim.ServiceTime;
import dev.bascule.study.sim.SimHost;
import dev.bascule.study.sim.SimOptions;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimSetup;
import dev.bascule.study.sim.SimTransports;
import org.junit.jupiter.api.Test;

/** Lengths of runs near a knee. */
class RunLengthTest {
    private static final JobMix EXPONENTIAL = JobMix.one("exp", "exponential", ServiceTime.exponential(10_000));

    private static PointRuns.Length length(int cpus, double load, int jobs) {
        double perSecond = EXPONENTIAL.capacityPerSecond(cpus) * load;
        long horizon = Math.round(jobs / perSecond * 1e9);
        SimOptions options = SimOptions.of(cpus, horizon).withPhases(horizon / 10, horizon);
        SimResult run = SimHost.run(SimSetup.free(options, SimTransports.onHost()), FifoAgent::new,
                OpenLoad.blind(EXPONENTIAL, perSecond, 1));
        return PointRuns.Length.of(run, EXPONENTIAL);
    }

    /** Of M/M/1 in heavy traffic: 4 mean jobs by (1 - load)^2. */
    @Test
    void aQueueForgetsInItsRelaxationTime() {
        PointRuns.Length run = length(1, 0.8, 400_000);
        assertThat(run.busy()).isCloseTo(0.8, within(0.01));
        assertThat(run.memoryNanos()).isCloseTo(1e6, within(1e5));
        assertThat(run.shortFor(99)).isEmpty();
        assertThat(length(16, 0.2, 20_000).memoryNanos()).as("no less than the job that an arrival finds")
                .isEqualTo(20_000);
    }

    @Test
    void aRunThatIsTooShortForAPercentileSaysWhatItAsksFor() {
        PointRuns.Length run = length(1, 0.9, 50_000);
        assertThat(run.shortFor(50)).isEmpty();
        assertThat(run.shortFor(99.9)).startsWith("not settled: with 9")
                .contains("of the CPUs busy the queue forgets in ")
                .contains("p99.9 asks for runs of 10,000 times that").endsWith("and these measure 500 ms");
    }

    /** Runs of Linux of 0.12 s are far too short for the p99 that its knee is judged by. */
    @Test
    void aKneeOfRunsThatAreTooShortIsNotSettled() {
        Lab lab = new Lab(CostProfiles.load("ghost-measured"), Reproduction.Size.of(true, 1), 0);
        Figure knee = new GhostCurves(lab)
                .figures(MeasuredCurve.of("linux", 0, "4-10000"), GhostSystem.linux(lab.profile())).getLast();
        assertThat(knee.what()).contains("greatest load");
        assertThat(knee.note()).startsWith("not settled: ").contains("p99 asks for runs of 1,000 times that");
    }

    /** 2 s were left out, and 3 or 8 s measured; a million jobs at most, of which the same part is left out. */
    @Test
    void aFullRunIsAsLongAsTheMeasuredOne() {
        assertThat(span("skyloft", 30, "4-10000", 100_000)).isEqualTo(new GhostSystem.Span(5_000_000_000L,
                2_000_000_000L));
        assertThat(span("ghost", 20, "4-10000", 50_000)).isEqualTo(new GhostSystem.Span(10_000_000_000L,
                2_000_000_000L));
        assertThat(span("ghost", 30, "1", 1_000_000)).isEqualTo(new GhostSystem.Span(1_000_000_000, 200_000_000));
    }

    private static GhostSystem.Span span(String system, int quantum, String mix, double perSecond) {
        Lab lab = new Lab(CostProfiles.load("ghost-measured"), Reproduction.Size.of(false, 1), 0);
        return new GhostCurves(lab).span(MeasuredCurve.of(system, quantum, mix),
                GhostSystem.ghost(lab.profile(), quantum), perSecond);
    }
}
