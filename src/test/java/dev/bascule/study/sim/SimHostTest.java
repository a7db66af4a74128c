package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.cli.BadPolicies;
import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RandomAgent;
import dev.bascule.policy.ShinjukuAgent;
import dev.bascule.study.experiment.PointSpec;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class SimHostTest {
    private static final JobMix MIX = JobMix.named("high-bimodal");
    private static final long HORIZON = 20_000_000;

    private static SimSetup setup(SimTransport transport) {
        return SimSetup.of(SimOptions.of(4, HORIZON), transport, CostProfiles.load("published"));
    }

    private static SimLoad load(double part, long seed) {
        return OpenLoad.classified(MIX, MIX.capacityPerSecond(4) * part, seed);
    }

    @Test
    void theSameSeedGivesTheSameTraceByteForByte() {
        for (String name : SimTransports.NAMES) {
            for (Supplier<Agent> policy : List.<Supplier<Agent>>of(FifoAgent::new, () -> new ShinjukuAgent(10_000),
                    () -> new RandomAgent(5))) {
                SimTrace first = new SimTrace(1 << 20);
                SimTrace second = new SimTrace(1 << 20);
                SimHost.run(setup(SimTransports.named(name)), policy, load(0.6, 7), first);
                SimHost.run(setup(SimTransports.named(name)), policy, load(0.6, 7), second);
                assertThat(first.size()).as(name).isGreaterThan(1000);
                assertThat(first.bytes()).as(name).isEqualTo(second.bytes());
                assertThat(first.firstDifference(second)).isEqualTo(-1);
            }
        }
    }

    @Test
    void anotherSeedGivesAnotherTrace() {
        SimTrace first = new SimTrace(1 << 20);
        SimTrace second = new SimTrace(1 << 20);
        SimHost.run(setup(SimTransports.wave()), FifoAgent::new, load(0.6, 7), first);
        SimHost.run(setup(SimTransports.wave()), FifoAgent::new, load(0.6, 8), second);
        assertThat(first.firstDifference(second)).isNotNegative();
    }

    @Test
    void everyJobEndsOnceAndLittlesLawHoldsOnEveryTransport() {
        for (String name : SimTransports.NAMES) {
            for (boolean polling : new boolean[] { true, false }) {
                SimSetup sleepy = SimSetup.of(SimOptions.of(4, HORIZON).withPolling(polling),
                        SimTransports.named(name), CostProfiles.load("published"));
                SimResult result = SimHost.run(sleepy, FifoAgent::new, load(0.5, 3));
                assertThat(result.jobs().finished()).as(name).isEqualTo(result.jobs().arrived()).isPositive();
                assertThat(result.littleErrorNanos()).as(name).isZero();
                assertThat(result.incidents()).as(name).isEmpty();
                assertThat(result.decisions().local()).as("%s: by the built-in policy", name)
                        .isLessThan(result.decisions().complete() / 50);
                assertThat(result.bus().interrupts() > 0).as("%s: interrupts", name)
                        .isEqualTo(!polling);
            }
        }
    }

    /** A round that is under way when the time is over goes on, and others with it. */
    @Test
    void littlesLawHoldsToTheEndOfARoundThatGoesOnBeyondTheRun() {
        for (long seed = 1; seed <= 30; seed++) {
            for (String name : List.of("on-host", "wave", "swap1")) {
                SimSetup cutOff = SimSetup.of(SimOptions.of(8, 100_000).withPhases(10_000, 0),
                        SimTransports.named(name), CostProfiles.load("published"));
                SimResult result = SimHost.run(cutOff, FifoAgent::new,
                        OpenLoad.classified(JobMix.named("exponential"), 4e6, seed));
                assertThat(result.littleErrorNanos()).as("%s, seed %d", name, seed).isZero();
                assertThat(result.lastNanos()).isGreaterThanOrEqualTo(100_000);
            }
        }
    }

    /** The source looks for arrivals every 2 us: what comes in its last look before the end it no longer gives away. */
    @Test
    void aRunEndsWithItsLastJobAlsoIfOneMoreIsDueThatTheSourceDoesNotSee() {
        CostProfile profile = CostProfiles.load("published").with("kernel.sourceLook", 2_200, "of the test");
        for (long seed = 1; seed <= 20; seed++) {
            SimOptions options = SimOptions.of(4, 200_000).withPhases(0, 5_000_000);
            SimResult result = SimHost.run(SimSetup.of(options, SimTransports.onHost(), profile), FifoAgent::new,
                    OpenLoad.blind(JobMix.named("ghost-fifo"), 300_000, seed));
            assertThat(result.jobs().finished()).as("seed %d", seed).isEqualTo(result.jobs().arrived()).isPositive();
            assertThat(result.lastNanos()).as("seed %d: long after the last job", seed).isLessThan(1_000_000);
        }
    }

    @Test
    void moreThanCanBeDoneIsReportedAsOverloadAndEnds() {
        SimResult result = SimHost.run(setup(SimTransports.wave()), FifoAgent::new, load(1.5, 3));
        assertThat(result.isOverloaded()).isTrue();
        assertThat(result.utilisation()).isLessThanOrEqualTo(1);
        assertThat(SimHost.run(setup(SimTransports.wave()), FifoAgent::new, load(0.5, 3)).isOverloaded()).isFalse();
    }

    /** Short jobs that overtake long ones end as fast as they come, and still the work piles up. */
    @Test
    void overloadIsJudgedByWorkAndNotByTheNumberOfJobs() {
        JobMix dispersive = new JobMix("dispersive", "of the test",
                List.of(new JobMix.Kind("short", 0.995, ServiceTime.fixed(4_000)),
                        new JobMix.Kind("long", 0.005, ServiceTime.fixed(10_000_000))));
        for (double part : new double[] { 0.6, 1.3 }) {
            double perSecond = dispersive.capacityPerSecond(20) * part;
            long horizon = Math.round(60_000 / perSecond * 1e9);
            SimOptions options = SimOptions.of(20, horizon).withWorkers(4_000, 1 << 16);
            SimResult result = SimHost.run(SimSetup.of(options, SimTransports.onHost(), CostProfiles.load("published")),
                    () -> new ShinjukuAgent(30_000), OpenLoad.blind(dispersive, perSecond, 5));
            assertThat(result.jobs().finishedMeasured()).as("nearly all jobs end").isGreaterThan(
                    (long) (result.jobs().arrivedMeasured() * 0.97));
            assertThat(result.isOverloaded()).as("load %s: work arrived %d, done %d ns", part, result.time().arrived(),
                    result.time().done()).isEqualTo(part > 1);
        }
    }

    @Test
    void aLargeHostsChannelHoldsWhatItsCpusSayAtOnce() {
        JobMix exponential = JobMix.one("exp", "exponential", ServiceTime.exponential(10_000));
        double perSecond = exponential.capacityPerSecond(256) * 1.3;
        SimOptions options = SimOptions.of(256, 5_000_000).withWorkers(4 * 256 + 64, 1 << 16).withPhases(1_000_000, 0);
        SimResult result = SimHost.run(SimSetup.of(options, SimTransports.wave(), CostProfiles.load("published")),
                FifoAgent::new, OpenLoad.blind(exponential, perSecond, 5));
        assertThat(result.decisions().overflows()).isZero();
        assertThat(result.decidedPerSecond()).as("of %s per second in all", result.throughputPerSecond())
                .isPositive().isLessThanOrEqualTo(result.throughputPerSecond());
    }

    @Test
    void messagesThatFindTheChannelFullAreCounted() {
        JobMix exponential = JobMix.one("exp", "exponential", ServiceTime.exponential(10_000));
        double perSecond = exponential.capacityPerSecond(64) * 1.3;
        SimOptions options = SimOptions.of(64, 5_000_000).withWorkers(320, 1 << 16).withPhases(1_000_000, 0)
                .withChannel(64);
        SimResult result = SimHost.run(SimSetup.of(options, SimTransports.wave(), CostProfiles.load("published")),
                FifoAgent::new, OpenLoad.blind(exponential, perSecond, 5));
        assertThat(result.decisions().overflows()).isPositive();
    }

    @Test
    void aPolicyThatNeverDecidesIsFencedAndTheHostDoesTheWork() {
        SimResult result = SimHost.run(longer(), BadPolicies.Never::new, load(0.3, 3));
        assertThat(result.jobs().finished()).isEqualTo(result.jobs().arrived()).isPositive();
        assertThat(result.decisions().local()).isPositive();
        assertThat(result.decisions().restarts()).isPositive();
        assertThat(result.incidents()).anyMatch(i -> i.contains("no decision within 20000 us"));
    }

    @Test
    void aPolicyThatThrowsIsReplaced() {
        int[] made = new int[1];
        SimResult result = SimHost.run(longer(), () -> made[0]++ == 0 ? new BadPolicies.Thrower() : new FifoAgent(),
                load(0.3, 3));
        assertThat(made[0]).isEqualTo(2);
        assertThat(result.jobs().finished()).isEqualTo(result.jobs().arrived());
        assertThat(result.incidents()).singleElement().asString().contains("broken policy");
        assertThat(result.decisions().staged()).as("the new one decides").isPositive();
    }

    @Test
    void swapEndCarriesSeveralDecisionsInOneExchange() {
        for (String suffix : List.of("", "-push")) {
            double one = writesPerDecision("swap1" + suffix);
            double several = writesPerDecision("swap-end" + suffix);
            assertThat(several).as("posted writes of the host for a decision; swap1%s: %s", suffix, one)
                    .isLessThan(one);
        }
    }

    private static double writesPerDecision(String transport) {
        SimSetup setup = SimSetup.of(SimOptions.of(4, HORIZON).withStaged(4), SimTransports.named(transport),
                CostProfiles.load("published"));
        SimResult result = SimHost.run(setup, FifoAgent::new, load(1.5, 3));
        assertThat(result.jobs().finished()).as(transport).isEqualTo(result.jobs().arrived());
        return (double) result.bus().hostWrites() / result.decisions().complete();
    }

    @Test
    void aPolicyThatLoopsForEverIsFencedOnEveryTransport() {
        for (String name : SimTransports.NAMES) {
            int[] made = new int[1];
            SimSetup setup = SimSetup.of(SimOptions.of(4, 100_000_000), SimTransports.named(name),
                    CostProfiles.load("published"));
            SimResult result = SimHost.run(setup, () -> made[0]++ == 0 ? new BadPolicies.Looper() : new FifoAgent(),
                    load(0.3, 3));
            assertThat(made[0]).as(name).isEqualTo(2);
            assertThat(result.jobs().finished()).as(name).isEqualTo(result.jobs().arrived());
            assertThat(result.incidents()).as(name).anyMatch(i -> i.contains("the policy loops"));
        }
    }

    @Test
    void aKilledAgentIsReplacedAndNoJobIsLost() {
        for (String name : SimTransports.NAMES) {
            SimSetup killed = SimSetup.of(SimOptions.of(4, 100_000_000), SimTransports.named(name),
                    CostProfiles.load("published")).withFaults(List.of(new SimFault(30_000_000, 0)));
            SimResult result = SimHost.run(killed, FifoAgent::new, load(0.3, 3));
            assertThat(result.jobs().finished()).as(name).isEqualTo(result.jobs().arrived());
            assertThat(result.incidents()).as(name).singleElement().asString().contains("agent killed");
            assertThat(result.decisions().local()).as(name).isPositive();
            assertThat(result.littleErrorNanos()).as(name).isZero();
        }
    }

    @Test
    void aShortPauseIsBridgedAndALongOneFenced() {
        for (long pause : new long[] { 2_000_000, 60_000_000 }) {
            SimSetup paused = longer().withFaults(List.of(new SimFault(30_000_000, pause)));
            SimResult result = SimHost.run(paused, FifoAgent::new, load(0.3, 3));
            assertThat(result.jobs().finished()).isEqualTo(result.jobs().arrived());
            assertThat(result.decisions().restarts() > 0).as("pause of %d ns", pause).isEqualTo(pause > 20_000_000);
            assertThat(result.decisions().local()).isPositive();
        }
    }

    @Test
    void anAgentOnEachCpuDecidesForItsOwn() {
        SimSetup each = SimSetup.of(SimOptions.of(4, HORIZON).withPerCpuAgents(2), SimTransports.onHost(),
                CostProfiles.load("published"));
        SimResult result = SimHost.run(each, FifoAgent::new, load(0.3, 3));
        assertThat(result.jobs().finished()).isEqualTo(result.jobs().arrived());
        assertThat(result.littleErrorNanos()).isZero();
    }

    @Test
    void aMeasuredAgentIsNotChargedWhatTheProfileSays() {
        CostProfile slow = CostProfiles.load("published").with("nicAgent.decision", 50_000_000, "much more than real");
        SimSetup setup = SimSetup.of(SimOptions.of(4, 100_000_000).withMeasuredAgent(), SimTransports.wave(), slow);
        SimResult result = SimHost.run(setup, FifoAgent::new, load(0.3, 3));
        assertThat(result.jobs().finished()).isEqualTo(result.jobs().arrived()).isPositive();
        assertThat(result.littleErrorNanos()).isZero();
        assertThat(result.decisions().staged()).isPositive();
        assertThat(result.time().agentBusy()).as("its time on this machine, which is above nothing").isPositive()
                .isLessThan(result.decisions().staged() * 50_000_000);
    }

    @Test
    void siblingsOfACoreRunOneMachineAtATimeUnderGang() {
        PointSpec point = PointSpec.of(Map.of("policy", "gang", "mix", "vm", "cpus", "8", "siblings", "2", "quantum",
                "2000000", "load", "1.2", "jobs", "2000"));
        SimTrace trace = new SimTrace(1 << 20);
        SimResult result = point.run(CostProfiles.load("published"), trace);
        assertThat(result.time().work()).isPositive();
        int[] machine = new int[8];
        java.util.Arrays.fill(machine, -1);
        int runs = 0;
        int shared = 0;
        for (int i = 0; i < trace.size(); i++) {
            int cpu = trace.cpu(i);
            switch (trace.kind(i)) {
                case RUNS -> {
                    machine[cpu] = (trace.task(i) - 1) / 4; // the first task is the worker of the empty job class
                    int other = machine[cpu ^ 1];
                    runs++;
                    shared += other >= 0 ? 1 : 0;
                    if (trace.argument(i) == 0) {
                        assertThat(other == -1 || other == machine[cpu]).as("event %d: %s", i, trace.line(i)).isTrue();
                    }
                }
                case DONE, BLOCKS, YIELDS, SLICE_OVER, PREEMPTED -> machine[cpu] = -1;
                default -> {
                    // of no CPU
                }
            }
        }
        assertThat(runs).isGreaterThan(1000);
        assertThat(shared).as("siblings are used").isPositive();
    }

    private static SimSetup longer() {
        return SimSetup.of(SimOptions.of(4, 100_000_000), SimTransports.wave(), CostProfiles.load("published"));
    }
}
