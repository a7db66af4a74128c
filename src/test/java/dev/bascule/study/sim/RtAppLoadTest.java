package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.config.CostProfiles;
import dev.bascule.study.experiment.PointSpec;
import dev.bascule.workload.WorkloadException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workloads of rt-app: when threads wake, and what is refused. */
class RtAppLoadTest {
    @TempDir
    private Path folder = Path.of("");

    private Path file(String tasks) throws Exception {
        return Files.writeString(folder.resolve("rt.json"), "{\"tasks\": {" + tasks.replace('\'', '"') + "}}");
    }

    /** Wake-ups of one thread, us, whose jobs end at these times. */
    private List<Long> wakes(String task, long... endsMicros) throws Exception {
        RtAppLoad load = new RtAppLoad(file("'t': {" + task + "}"), 1);
        List<Long> wakes = new ArrayList<>();
        SimJob job = new SimJob();
        for (long end : endsMicros) {
            wakes.add(load.nextArrivalNanos() / 1000);
            load.take(job);
            load.finished(job.jobClass(), end * 1000);
        }
        wakes.add(load.nextArrivalNanos() == SimLoad.NO_MORE ? -1 : load.nextArrivalNanos() / 1000);
        return wakes;
    }

    @Test
    void aSleepBeginsWhenTheWorkEndsAndATimerDoesNot() throws Exception {
        assertThat(wakes("'run': 5, 'sleep': 10", 5, 25)).containsExactly(0L, 15L, 35L);
        assertThat(wakes("'run': 5, 'timer': {'ref': 'unique', 'period': 19}", 5, 34)).containsExactly(0L, 19L, 38L);
    }

    @Test
    void aMissedTimerIsSetAgainOrCatchesUp() throws Exception {
        String timer = "'run0': 10, 'timer0': {'ref': 'unique', 'period': 20, 'mode': '%s'}";
        assertThat(wakes(timer.formatted("relative"), 10, 30, 70, 80)).containsExactly(0L, 20L, 40L, 70L, 90L);
        assertThat(wakes(timer.formatted("absolute"), 10, 30, 70, 80, 90))
                .containsExactly(0L, 20L, 40L, 70L, 80L, 100L);
    }

    @Test
    void phasesLoopInTheirOrderAndATaskEnds() throws Exception {
        String phases = "'loop': 2, 'delay': 3, 'phases': {'a': {'loop': 2, 'run': 1, 'sleep': 4}, 'b': {'sleep': 100,"
                + " 'run': 2, 'run1': 5}}";
        assertThat(wakes(phases, 4, 9, 120, 121, 126, 240)).containsExactly(3L, 8L, 113L, 120L, 125L, 230L, -1L);
        RtAppLoad load = new RtAppLoad(file("'t': {" + phases + "}"), 1);
        assertThat(load.work()).containsExactly(9e9 / 117);
        assertThat(load.perSecond()).isEqualTo(3e9 / 117_000);
        assertThat(load.expectedNanos(0)).isEqualTo(3_000);
    }

    @Test
    void threadsOnOneCpuWaitForEachOtherAndOthersDoNot() throws Exception {
        String periodic = "'run': 300, 'timer': {'ref': 'unique', 'period': 1000}";
        assertThat(longest(periodic + ", 'instance': 2")).isEqualTo(300_000);
        assertThat(longest(periodic + ", 'instance': 2, 'cpus': [1]")).isEqualTo(600_000);
    }

    private long longest(String task) throws Exception {
        RtAppLoad load = new RtAppLoad(file("'t': {" + task + "}"), 1);
        SimSetup setup = SimSetup.free(SimOptions.of(2, 100_000_000).withWorkers(1, 1 << 16), SimTransports.onHost());
        SimResult result = SimHost.run(setup, dev.bascule.policy.FifoAgent::new, load);
        assertThat(result.jobs().finished()).isBetween(198L, 202L);
        return result.sojourn().stream().mapToLong(one -> Math.round(one.max() / 1000.0) * 1000).max().orElseThrow();
    }

    @Test
    void aPointOfAFileHasAClassForEachThread() throws Exception {
        Path threads = file("'a': {'run': 100, 'sleep': 400}, 'b': {'instance': 2, 'run': 50, 'priority': 5,"
                + " 'timer': {'ref': 'uniqueB', 'period': 500}}");
        PointSpec point = PointSpec.of(Map.of("mix", "rt-app:" + threads, "cpus", "2", "jobs", "600"));
        assertThat(point.classNames()).containsExactly("a", "b-0", "b-1");
        SimResult run = point.run(CostProfiles.load("published"), null);
        assertThat(run.sojourn()).hasSize(3).allSatisfy(one -> assertThat(one.count()).isGreaterThan(150));
        assertThat(point.repeat(1).run(CostProfiles.load("published"), null).allSojourns().mean())
                .as("another seed starts threads elsewhere").isNotEqualTo(run.allSojourns().mean());
        assertThatThrownBy(() -> point.with(Map.of("load", "0.5"))).hasMessageContaining("leave load out");
        assertThatThrownBy(() -> PointSpec.of(Map.of("mix", "rt-app:" + file("'a': {'run': 1, 'cpus': [3]}"),
                "cpus", "2"))).hasMessageContaining("a may run on none of cpus=2");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "'a': {'run': 1, 'lock': 'm'} | tasks.a.lock: it is not played",
            "'a': {'phases': {'p': {'run': 1, 'barrier': 'b'}}} | tasks.a.phases.p.barrier: it is not played",
            "'a': {'phases': {'p': {'run': 1, 'cpus': [0]}}} | tasks.a.phases.p.cpus: it is played for a whole",
            "'a': {'phases': {'p': {'run': 1}}, 'run': 1} | tasks.a.run: it stands beside phases",
            "'a': {'run': -1} | tasks.a.run: -1: a whole number of at least 1",
            "'a': {'run': '5'} | tasks.a.run: 5: a whole number", "'a': {'sleep': 5} | tasks.a: it never runs",
            "'a': {'run': 1, 'timer': {'ref': 't'}} | tasks.a.timer.period: null: a whole number",
            "'a': {'instance': 2, 'run': 1, 'timer': {'ref': 't', 'period': 9}} | tasks.a: the timer 't' is one",
            "'a': {'run': 1, 'timer': {'ref': 'u', 'period': 9, 'mode': 'x'}} | tasks.a.timer.mode: x",
            "'a': {'run': 1, 'policy': 'SCHED_FIFO'} | tasks.a.policy: SCHED_FIFO",
            "'a': 3 | tasks.a: an object is needed",
            "'a': {'run': 1, 'run': 2} | not JSON: column", "'' | not JSON: column",
            "'a': {'run': 1, 'instance': 257} | tasks.a.instance: 257",
            "'a': {'phases': {'p': {'run': 1, 'loop': 200000}}} | tasks.a.phases.p.loop: 200000" }, quoteCharacter = '`')
    void whatCannotBePlayedIsRefusedByItsPath(String tasks, String expected) throws Exception {
        Path file = file(tasks);
        assertThatThrownBy(() -> new RtAppLoad(file, 1)).isInstanceOf(WorkloadException.class)
                .hasMessageStartingWith("rt-app file " + file + ": " + expected);
    }
}
