package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Who pays for what, and how often: one job on one idle CPU, while nothing costs anything except one figure. What the
 * job's time grows by is that figure times the number of places that the way of a decision has for it.
 */
class SimCostsTest {
    private static final long DEMAND = 10_000;
    private static final long FIGURE = 1000;
    /** A line on the link, which may be waited for without the figure and be gone with it. */
    private static final long LINE_NANOS = 6;

    /** One job at 5 us. */
    private static final class OneJob implements SimLoad {
        private boolean taken;

        @Override
        public long nextArrivalNanos() {
            return taken ? NO_MORE : 5_000;
        }

        @Override
        public void take(SimJob job) {
            taken = true;
            job.set(0, DEMAND);
        }
    }

    static CostProfile free() {
        CostProfile free = CostProfiles.load("published");
        for (String path : free.constants().keySet()) {
            boolean ratio = path.equals("link.dmaBandwidth") || path.equals("link.credits") || path.startsWith("cpu.")
                    || path.endsWith("slowdown");
            free = ratio ? free : free.with(path, 0, "test");
        }
        return free;
    }

    private static long sojourn(String transport, CostProfile costs) {
        return sojourn(transport, costs, true);
    }

    private static long sojourn(String transport, CostProfile costs, boolean polling) {
        SimOptions options = SimOptions.of(1, 1_000_000).withPhases(1, 1_000_000).withWorkers(1, 1)
                .withPolling(polling);
        SimResult result = SimHost.run(SimSetup.of(options, SimTransports.named(transport), costs), FifoAgent::new,
                new OneJob());
        assertThat(result.jobs().finished()).isEqualTo(1);
        return result.allSojourns().max();
    }

    @ParameterizedTest(name = "{0}: {1}, {2} times")
    @CsvSource({
            // the wake-up's message; the message's line and the decision's line; the decision; the switch
            "on-host, kernel.message, 1", "on-host, hostAgent.message, 1", "on-host, hostAgent.decision, 1",
            "on-host, link.coherentLine, 2", "on-host, kernel.commit, 1", "on-host, kernel.contextSwitch, 1",
            // nobody sleeps, nobody is interrupted, the agent decides; leaving the CPU is behind the job's end
            "on-host, kernel.interrupt, 0", "on-host, kernel.interprocessor, 0", "on-host, hostAgent.interrupt, 0",
            "on-host, kernel.fallback, 0", "on-host, kernel.entry, 0", "on-host, link.mmioReadWt, 0",
            "on-host, nicAgent.decision, 0",
            // over the link: a message is a posted write, and a look of the CPU a read of the decision's line
            "wave, kernel.message, 1", "wave, nicAgent.message, 1", "wave, nicAgent.decision, 1",
            "wave, link.postedWrite, 1", "wave, kernel.commit, 1", "wave, kernel.contextSwitch, 1",
            "wave, link.coherentLine, 0", "wave, link.msix, 0", "wave, hostAgent.decision, 0" })
    void aFigureIsPaidAsOftenAsTheWayOfADecisionHasIt(String transport, String path, int times) {
        long without = sojourn(transport, free());
        long with = sojourn(transport, free().with(path, FIGURE, "test"));
        assertThat(with - without).as("%s %s", transport, path).isBetween(times * FIGURE, times * FIGURE + 2);
    }

    @ParameterizedTest(name = "{0}, asleep: {1}, {2} times")
    @CsvSource({
            // one processor interrupts another: receiving it is part of the figure
            "on-host, kernel.interprocessor, 1", "on-host, kernel.interrupt, 0", "on-host, kernel.commit, 1",
            "on-host, link.coherentLine, 2", "on-host, kernel.contextSwitch, 1", "on-host, hostAgent.interrupt, 1",
            // a message of the card
            "wave, link.msix, 1", "wave, kernel.interrupt, 1", "wave, kernel.commit, 1", "wave, nicAgent.interrupt, 1",
            "wave, kernel.interprocessor, 0" })
    void aWakeUpPaysEachFigureOnce(String transport, String path, int times) {
        long without = sojourn(transport, free(), false);
        long with = sojourn(transport, free().with(path, FIGURE, "test"), false);
        assertThat(with - without).as("%s %s", transport, path).isBetween(times * FIGURE - LINE_NANOS,
                times * FIGURE + 2);
    }

    /** The request is half of the round trip; the CPU need not wait until its completion is back at the NIC. */
    @Test
    void anAtomicOpDelaysADecisionByItsWayThere() {
        long later = sojourn("one-word-push", free().with("link.atomicOp", FIGURE, "test"))
                - sojourn("one-word-push", free());
        assertThat(later).isBetween(FIGURE / 2, FIGURE / 2 + 2);
        assertThat(sojourn("one-word", free().with("link.atomicOp", FIGURE, "test")))
                .as("on a coherent link there are none").isEqualTo(sojourn("one-word", free()));
    }

    /** The message; the word for the agent's promise; the word, the decision and the word to change it for the CPU. */
    @Test
    void aWordOfACoherentLinkCrossesForEachSideThatChangesIt() {
        long later = sojourn("one-word", free().with("link.sharedLine", FIGURE, "test")) - sojourn("one-word", free());
        assertThat(later).isBetween(5 * FIGURE - LINE_NANOS, 5 * FIGURE + 2);
        assertThat(sojourn("one-word-push", free().with("link.sharedLine", FIGURE, "test")))
                .as("PCIe has none").isEqualTo(sojourn("one-word-push", free()));
    }

    @Test
    void aDecisionTakesTheHostsCoreNoLongerThanTheNics() {
        double[] perDecision = new double[2];
        for (int i = 0; i < 2; i++) {
            JobMix jobs = JobMix.one("fixed", "of the test", ServiceTime.fixed(10_000));
            double perSecond = jobs.capacityPerSecond(4) * 0.5;
            SimResult result = SimHost.run(SimSetup.of(SimOptions.of(4, 50_000_000),
                    SimTransports.named(i == 0 ? "on-host" : "wave"), CostProfiles.load("published")), FifoAgent::new,
                    OpenLoad.blind(jobs, perSecond, 3));
            perDecision[i] = result.time().agentBusy() / (double) result.decisions().complete();
        }
        assertThat(perDecision[0]).as("on the host, against %s ns on the NIC", perDecision[1]).isPositive()
                .isLessThanOrEqualTo(perDecision[1]);
    }

    @Test
    void aJobAloneWithoutCostsTakesItsDemandAndTwoLooks() {
        assertThat(sojourn("on-host", free())).as("agent and CPU look every ns")
                .isBetween(DEMAND, DEMAND + 2);
    }

    @Test
    void theProfilesAgentIsTheOneWhereTheAgentRuns() {
        CostProfile profile = CostProfiles.load("published").with("nicAgent.decision", 111, "test")
                .with("hostAgent.decision", 222, "test");
        assertThat(SimCosts.of(profile, true).agent().decision()).isEqualTo(111);
        assertThat(SimCosts.of(profile, false).agent().decision()).isEqualTo(222);
        assertThat(SimCosts.of(profile, false).agent().slowdown()).isEqualTo(1);
    }
}
