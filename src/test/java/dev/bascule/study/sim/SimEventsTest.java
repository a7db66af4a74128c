package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The event queue: what comes first, and in which order what is due at the same time. */
class SimEventsTest {
    private static final int CPUS = 3;
    private static final int CORES = 2;

    private static SimEvents events() {
        return new SimEvents(new EnclaveShape(CPUS, 8, CPUS, 16, 1, Topology.flat(CPUS)), CORES);
    }

    private static List<SimEvent> drain(SimEvents events) {
        List<SimEvent> order = new ArrayList<>();
        while (events.firstNanos() != SimEvents.NEVER) {
            order.add(events.first());
            events.clearFirst();
        }
        return order;
    }

    @Test
    void atTheSameTimeKindsComeInOrderAndTheLowestFirst() {
        SimEvents events = events();
        for (SimEvent.Single single : SimEvent.Single.values()) {
            events.at(single, 500);
        }
        for (int i = CPUS - 1; i >= 0; i--) { // set against the order in which they must come
            events.roundAt(i, 500);
            events.interruptAt(i, 500);
            events.prefetchAt(i, 500);
            events.cpuAt(i, 500);
        }
        events.coreAt(1, 500);
        events.coreAt(0, 500);
        assertThat(drain(events)).extracting(Object::toString).containsExactly("Cpu[cpu=0]", "Cpu[cpu=1]", "Cpu[cpu=2]",
                "Prefetch[cpu=0]", "Prefetch[cpu=1]", "Prefetch[cpu=2]", "Interrupt[cpu=0]", "Interrupt[cpu=1]",
                "Interrupt[cpu=2]", "Round[agent=0]", "Round[agent=1]", "Round[agent=2]", "Core[core=0]",
                "Core[core=1]", "ARRIVAL", "WAKE", "WATCHDOG", "HOUSEKEEPING", "RESTART", "FAULT", "CHURN");
    }

    private record Due(long nanos, int rank, SimEvent event) {}

    @Test
    void whatIsDueComesInTheOrderOfTimeThenOfKind() {
        long seed = 41;
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 500; round++) {
            SimEvents events = events();
            List<Due> expected = new ArrayList<>();
            for (int cpu = 0; cpu < CPUS; cpu++) {
                long nanos = random.nextLong(6);
                events.cpuAt(cpu, nanos);
                expected.add(new Due(nanos, cpu, new SimEvent.Cpu(cpu)));
                events.interruptAt(cpu, nanos + 1);
                expected.add(new Due(nanos + 1, 10 + cpu, new SimEvent.Interrupt(cpu)));
                long look = random.nextLong(6);
                events.roundAt(cpu, look);
                expected.add(new Due(look, 20 + cpu, new SimEvent.Round(cpu)));
            }
            long arrival = random.nextLong(6);
            events.at(SimEvent.Single.ARRIVAL, arrival);
            expected.add(new Due(arrival, 30, SimEvent.Single.ARRIVAL));
            expected.sort(Comparator.comparingLong(Due::nanos).thenComparingInt(Due::rank));
            assertThat(drain(events)).as("seed %d, round %d", seed, round)
                    .isEqualTo(expected.stream().map(Due::event).toList());
        }
    }

    @Test
    void ofInterruptsUnderWayTheFirstAndTheLastCome() {
        SimEvents events = events();
        events.interruptAt(1, 700);
        events.interruptAt(1, 300);
        events.interruptAt(1, 900);
        events.interruptAt(1, 800);
        assertThat(events.firstNanos()).isEqualTo(300);
        events.takeInterrupt(1);
        assertThat(events.firstNanos()).isEqualTo(900);
        events.takeInterrupt(1);
        assertThat(events.firstNanos()).isEqualTo(SimEvents.NEVER);
    }

    @Test
    void anEventHasOneTimeWhichIsReplaced() {
        SimEvents events = events();
        events.cpuAt(2, 100);
        events.roundAt(0, 50);
        events.cpuAt(2, 20);
        assertThat(events.first()).isEqualTo(new SimEvent.Cpu(2));
        assertThat(events.cpuDue(2)).isEqualTo(20);
        assertThat(events.roundDue(0)).isEqualTo(50);
        events.cpuAt(2, SimEvents.NEVER);
        assertThat(drain(events)).containsExactly(new SimEvent.Round(0));
    }
}
