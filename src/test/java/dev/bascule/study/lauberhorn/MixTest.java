package dev.bascule.study.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The systems of the dynamic mix, against theory where there is any and against each other. */
class MixTest {
    private static final double WORK = 5_000;
    private static final LauberhornMix.Times NOTHING = new LauberhornMix.Times(0, 0, 0, 0, 0, 0, 0);

    private static MixLoad load(int services, int cores, double load, double burst) {
        return MixLoad.draw(services, cores, 60_000, load, burst, WORK, 2_000, 7);
    }

    private static double mean(MixResult result) {
        return Arrays.stream(result.latencyNanos()).average().orElseThrow();
    }

    /** Mean time in an M/M/c system, by Erlang's formula. */
    private static double erlang(int cores, double load) {
        double offered = cores * load;
        double blocked = 1;
        for (int c = 1; c <= cores; c++) {
            blocked = offered * blocked / (c + offered * blocked);
        }
        double waits = blocked / (1 - load * (1 - blocked));
        return WORK + waits * WORK / (cores * (1 - load));
    }

    @Test
    void aLoadHasItsRateAndItsWork() {
        MixLoad load = load(100, 8, 0.5, 20);
        double perNano = load.count() / (double) load.dueNanos()[load.count() - 1];
        assertThat(perNano * WORK / 8).isCloseTo(0.5, within(0.04));
        assertThat(Arrays.stream(load.workNanos()).average().orElseThrow()).isCloseTo(WORK, within(100.0));
        assertThat(load.dueNanos()).isSorted();
        assertThat(Arrays.stream(load.service()).distinct().count()).isEqualTo(100);
    }

    @Test
    void withoutCostsAndBurstsAllAreTheQueueOfTheTextbook() {
        MixLoad load = load(400, 4, 0.7, 1.000_001);
        double expected = erlang(4, 0.7);
        MixResult central = new CentralMix(load, 4, new CentralMix.Times(0, 0, 0, 0)).run("central");
        MixResult lauberhorn = new LauberhornMix(load, 4, 4, 1 << 16, NOTHING).run("lauberhorn");
        assertThat(mean(central)).isCloseTo(expected, within(0.06 * expected));
        assertThat(mean(lauberhorn)).isCloseTo(expected, within(0.06 * expected));
    }

    @Test
    void withACoreOfItsOwnAProcessThatPollsIsAQueueOfItsOwn() {
        MixLoad load = load(1, 1, 0.6, 1.000_001);
        MixResult result = new BypassMix(load, 1, 0, 0, 0).spinning("bypass", 1_000_000);
        double expected = WORK / (1 - 0.6);
        assertThat(mean(result)).isCloseTo(expected, within(0.08 * expected));
    }

    @Test
    void eachRequestIsAnsweredAndNoneBeforeItsWorkIsDone() {
        MixLoad load = load(100, 8, 0.6, 20);
        LauberhornMix.Times times = new LauberhornMix.Times(100, 800, 800, 550, 550, 1_950, 50_000);
        MixResult result = new LauberhornMix(load, 8, 8, 1 << 16, times).run("lauberhorn");
        assertThat(result.answered() + result.refused()).isEqualTo(load.count());
        assertThat(result.refused()).isZero();
        assertThat(result.busyNanos()).isGreaterThan(Arrays.stream(load.workNanos()).sum());
        assertThat(result.latencyNanos()[0]).as("decode, line there and line back").isGreaterThan(1_700);
    }

    /** Eight requests for one service at once, on eight cores: none waits, however far from half full the queue is. */
    @Test
    void aCoreThatIdlesIsTakenWhileARequestWaits() {
        long[] due = new long[8];
        long[] work = new long[8];
        Arrays.fill(due, 1_000);
        Arrays.fill(work, 5_000);
        MixLoad burst = new MixLoad(1, due, new int[8], work);
        for (int entries : new int[] { 32, 1 << 16 }) {
            MixResult result = new LauberhornMix(burst, 8, 8, entries, NOTHING).run("lauberhorn");
            assertThat(result.answered()).isEqualTo(8);
            assertThat(result.lastNanos()).as("queue of %d", entries).isEqualTo(6_000);
            assertThat(result.switches()).as("a core each, and none for nothing").isEqualTo(8);
        }
    }

    @Test
    void fullQueuesRefuse() {
        MixLoad load = load(10, 1, 3, 50);
        MixResult result = new LauberhornMix(load, 1, 1, 32, NOTHING).run("lauberhorn");
        assertThat(result.answered() + result.refused()).isEqualTo(load.count());
        assertThat(result.refused()).isBetween(load.count() / 2L, load.count() * 4L / 5);
    }

    @Test
    void staticAssignmentCollapsesWhereSharedCoresDoNot() {
        MixLoad load = load(100, 8, 0.6, 20);
        LauberhornMix.Times times = new LauberhornMix.Times(100, 800, 800, 550, 550, 1_950, 50_000);
        double lauberhorn = new LauberhornMix(load, 8, 8, 1 << 16, times).run("lauberhorn").micros(99);
        double spinning = new BypassMix(load, 8, 0, 250, 480).spinning("spinning", 1_000_000).micros(99);
        double yielding = new BypassMix(load, 8, 0, 250, 480).yielding("yielding", 505).micros(99);
        double shared = new CentralMix(load, 8, new CentralMix.Times(0, 0, 250, 480)).run("shared").micros(99);
        assertThat(spinning).isGreaterThan(10 * lauberhorn);
        assertThat(yielding).as("the same costs, but whose cores are idle cannot help").isGreaterThan(shared);
    }
}
