package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.study.sim.SimTrace.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of a task, from traces written by hand. Task 7 on a host with two CPUs. */
class SimExplanationTest {
    private final SimTrace trace = new SimTrace(100);

    private List<String> explain() {
        return SimExplanation.of(trace, 2, 7);
    }

    @Test
    void aWaitIsDividedIntoBusyCpusAndDecisionsUnderWay() {
        trace.add(0, Kind.RUNS, 0, 1, 0);
        trace.add(100, Kind.ARRIVES, 0, 7, 0);
        trace.add(150, Kind.RUNS, 1, 2, 0); // from here on both are busy
        trace.add(400, Kind.DONE, 0, 1, 0); // until here
        trace.add(430, Kind.RUNS, 0, 7, 0);
        trace.add(900, Kind.DONE, 0, 7, 0);
        assertThat(explain()).hasSize(2);
        assertThat(explain().get(0)).startsWith("430 ns  runs on CPU 0, decided by the agent; it had waited 330 ns: "
                + "250 ns all CPUs were busy, 80 ns a CPU was free");
        assertThat(explain().get(1)).isEqualTo("900 ns  leaves CPU 0, done");
    }

    @Test
    void aPreemptedTaskWaitsFromThen() {
        trace.add(0, Kind.ARRIVES, 0, 7, 0);
        trace.add(10, Kind.RUNS, 1, 7, 1);
        trace.add(60, Kind.SLICE_OVER, 1, 7, 3);
        trace.add(100, Kind.REFUSED, 1, 7, 2);
        trace.add(200, Kind.RUNS, 0, 7, 0);
        assertThat(explain()).hasSize(3);
        assertThat(explain().get(0)).contains("decided by the host's built-in policy");
        assertThat(explain().get(1)).isEqualTo(
                "60 ns  leaves CPU 1, preempted: its slice was over and 3 other task(s) waited");
        assertThat(explain().get(2)).contains("it had waited 140 ns").contains("1 decision(s) about it were stale");
    }

    @Test
    void aTaskOfAnotherSocketIsNamedWithWhereItCameFrom() {
        trace.add(0, Kind.ARRIVES, 0, 7, 0);
        trace.add(5, Kind.CROSSES, 0, 8, 1 << 8); // another task's
        trace.add(9, Kind.CROSSES, 0, 7, 3 << 8);
        trace.add(10, Kind.RUNS, 0, 7, 0);
        assertThat(explain().getFirst()).contains("it ran on socket 3 before");
    }

    @Test
    void nothingIsSaidOfOtherTasks() {
        trace.add(0, Kind.ARRIVES, 0, 6, 0);
        trace.add(1, Kind.RUNS, 0, 6, 0);
        trace.add(2, Kind.PREEMPTED, 0, 6, 0);
        assertThat(explain()).isEmpty();
    }

    @Test
    void aTraceKeepsItsWordsAndStopsWhenFull() {
        SimTrace small = new SimTrace(2);
        small.add(123_456_789_012L, Kind.SLICE_OVER, 1023, SimTrace.NO_TASK, 70_000);
        small.add(2, Kind.RUNS, 0, 262_143, 1);
        small.add(3, Kind.DONE, 0, 1, 0);
        assertThat(small.size()).isEqualTo(2);
        assertThat(small.isFull()).isTrue();
        assertThat(small.nanos(0)).isEqualTo(123_456_789_012L);
        assertThat(small.kind(0)).isEqualTo(Kind.SLICE_OVER);
        assertThat(small.cpu(0)).isEqualTo(1023);
        assertThat(small.task(0)).isEqualTo(SimTrace.NO_TASK);
        assertThat(small.argument(0)).as("at most 65,535").isEqualTo(65_535);
        assertThat(small.task(1)).isEqualTo(262_143);
        assertThat(small.bytes()).hasSize(32);
        assertThat(small.line(1)).isEqualTo("2 ns  cpu 0 task 262143 RUNS 1");
    }
}
