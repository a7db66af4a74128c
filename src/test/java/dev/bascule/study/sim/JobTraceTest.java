package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.config.CostProfiles;
import dev.bascule.policy.FifoAgent;
import dev.bascule.study.experiment.PointSpec;
import dev.bascule.workload.WorkloadException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobTraceTest {
    private static final int JOBS = 500;

    @TempDir
    private Path folder = Path.of("");

    private Path file(String text) throws Exception {
        return Files.writeString(folder.resolve("jobs.csv"), text);
    }

    /** Arrivals and service times, ns, of a bursty load; seed 7. */
    private static long[][] bursty() {
        SplittableRandom random = new SplittableRandom(7);
        long[][] jobs = new long[JOBS][];
        long at = 1_000_000;
        for (int i = 0; i < JOBS; i++) {
            at += random.nextInt(10) == 0 ? 400_000 : random.nextInt(5_000);
            jobs[i] = new long[] { at, 1 + random.nextInt(40_000) };
        }
        return jobs;
    }

    private static String csv(long[][] jobs) {
        StringBuilder text = new StringBuilder("id,service_ns,arrival_us\n");
        for (int i = 0; i < jobs.length; i++) {
            text.append(i).append(',').append(jobs[i][1]).append(", ").append(jobs[i][0] / 1e3).append('\n');
        }
        return text.toString();
    }

    /** The oracle is Lindley's recursion, which knows no simulator. */
    @ParameterizedTest
    @CsvSource({ "1, 1", "2, 0.5" })
    void oneCpuServesATraceAsLindleysRecursionSays(double timesAsFast, double stretch) throws Exception {
        long[][] jobs = bursty();
        JobTrace trace = JobTrace.of(file(csv(jobs)));
        SimResult result = SimHost.run(
                SimSetup.free(SimOptions.of(1, Math.round(trace.arrivalNanos(JOBS) * stretch / 2))
                        .withWorkers(JOBS, 1 << 20)
                        .withPhases(0, 1L << 40), SimTransports.onHost()),
                FifoAgent::new, new TraceLoad(trace, trace.perSecond() * timesAsFast, 1, 0));
        long free = 0;
        long sum = 0;
        long longest = 0;
        int done = (int) result.jobs().finished();
        for (int i = 0; i < done; i++) {
            long came = Math.round((jobs[i][0] - jobs[0][0]) * stretch);
            free = Math.max(free, came) + jobs[i][1];
            sum += free - came;
            longest = Math.max(longest, free - came);
        }
        assertThat(done).isGreaterThan(JOBS / 3).isLessThan(JOBS);
        assertThat(result.allSojourns().max()).isEqualTo(longest);
        assertThat(result.allSojourns().mean()).isCloseTo((double) sum / done,
                org.assertj.core.data.Offset.offset(1.0));
    }

    @Test
    void aTraceGoesRoundWithAGapBehindItsLastJobAndASeedBeginsElsewhere() throws Exception {
        JobTrace trace = JobTrace.of(file("arrival_ms,service_us,class\n5,1,a\n6,2,b\n9,3,a\n"));
        assertThat(trace.perSecond()).isEqualTo(500); // three jobs in 4 ms and a gap of 2
        assertThat(trace.classNames()).containsExactly("a", "b");
        assertThat(trace.work()).containsExactly(4_000, 2_000);
        assertThat(trace.meanNanos()).isEqualTo(2_000);
        assertThat(trace.meansNanos()).containsExactly(2_000, 2_000);
        assertThat(new long[] { trace.arrivalNanos(0), trace.arrivalNanos(2), trace.arrivalNanos(3),
                trace.arrivalNanos(7) }).containsExactly(0, 4_000_000, 6_000_000, 13_000_000);
        TraceLoad load = new TraceLoad(trace, 1_000, 2, 0);
        assertThat(load.nextArrivalNanos()).isZero();
        assertThat(load.classes()).isEqualTo(2);
        assertThat(load.expectedNanos(1)).isEqualTo(2_000);
    }

    /** A column of its own says what was expected; where it says nothing, nothing is known. */
    @Test
    void hintsOfATraceReachThePolicy() throws Exception {
        Path file = file("arrival_us,service_us,expected_us,deadline_ms\n0,100,7,\n1,10,,2\n2,10,50,\n3,10,30,1\n"
                + "100000,1,1,\n");
        TraceLoad load = new TraceLoad(JobTrace.of(file), 40, 1, 10);
        SimJob job = new SimJob();
        List<Long> hints = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            long now = load.nextArrivalNanos();
            load.take(job);
            hints.add(job.expectedNanos());
            hints.add(job.deadlineNanos() == 0 ? 0 : job.deadlineNanos() - now);
        }
        assertThat(hints).containsExactly(7_000L, 0L, 0L, 2_000_000L, 50_000L, 0L, 30_000L, 1_000_000L);
        for (String policy : List.of("sjf 0 3 2 1", "edf 3 1 0 2")) {
            SimTrace trace = new SimTrace(1 << 12);
            PointSpec.of(Map.of("mix", "trace:" + file, "cpus", "1", "jobs", "100", "transport", "on-host", "policy",
                    policy.split(" ")[0])).run(CostProfiles.load("published"), trace);
            assertThat(order(trace)).as(policy).isEqualTo(policy.substring(4));
        }
        file("arrival_us,service_us,expected_us\n0,1,2\n1,1,soon\n");
        assertThatThrownBy(() -> JobTrace.of(file)).hasMessageContaining("jobs.csv:3: 'soon' is no number");
    }

    /** Order in which the first four jobs ended; tasks get jobs in the order in which they come. */
    private static String order(SimTrace trace) {
        List<Integer> came = new ArrayList<>();
        List<String> ended = new ArrayList<>();
        for (int i = 0; i < trace.size() && ended.size() < 4; i++) {
            if (trace.kind(i) == SimTrace.Kind.ARRIVES) {
                came.add(trace.task(i));
            } else if (trace.kind(i) == SimTrace.Kind.DONE) {
                ended.add(Integer.toString(came.indexOf(trace.task(i))));
            }
        }
        return String.join(" ", ended);
    }

    @Test
    void aPointReplaysItAsRecordedOrAtALoad() throws Exception {
        Path file = file(csv(bursty()));
        JobTrace trace = JobTrace.of(file);
        Map<String, String> given = Map.of("mix", "trace:" + file, "cpus", "2", "jobs", "2000", "transport", "on-host");
        PointSpec recorded = PointSpec.of(given);
        SimResult run = recorded.run(CostProfiles.load("published"), null);
        assertThat(run.jobs().arrived() * 1e9 / run.lastNanos()).isCloseTo(trace.perSecond(),
                org.assertj.core.data.Percentage.withPercentage(5));
        PointSpec half = recorded.with(Map.of("load", "0.7")).repeat(1);
        assertThat(half.values()).containsEntry("load", "0.7");
        SimResult scaled = half.run(CostProfiles.load("published"), null);
        assertThat(scaled.jobs().arrived() * trace.meanNanos() / scaled.lastNanos() / 2).isCloseTo(0.7,
                org.assertj.core.data.Percentage.withPercentage(5));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "''|jobs.csv:1: the first line names",
            "arrival_us,size|jobs.csv:1: the first line names",
            "arrival_us,service_us;1,1|jobs.csv:2: a trace has two jobs",
            "arrival_us,service_us;1,1;0,1|jobs.csv:3: it comes before",
            "arrival_us,service_us;1,1;x,1|jobs.csv:3: 'x' is no number",
            "arrival_us,service_us;1,1;2|jobs.csv:3: it has 1 cells",
            "arrival_us,service_us;1,-1|jobs.csv:2: '-1' is no time", "arrival_us,service_us;1,NaN|'NaN' is no time",
            "arrival_us,service_us;1,1;1,1|different times",
            "\"a,b\",arrival_us,service_us;1,1|jobs.csv:1: a comma between quotes" })
    void whatIsNoTraceIsSaidWithItsLine(String lines, String said) throws Exception {
        Path file = file(lines.replace(';', '\n') + "\n");
        assertThatThrownBy(() -> PointSpec.of(Map.of("mix", "trace:" + file)))
                .isInstanceOf(WorkloadException.class).hasMessageContaining(said);
    }

    /** A byte order mark, quotes, and lines that end as on Windows. */
    @Test
    void aTraceThatASpreadsheetWroteIsRead() throws Exception {
        JobTrace trace = JobTrace
                .of(file("\ufeff\"arrival_us\",\"service_us\",\"class\"\r\n\"1\",\"2\",\"a b\"\r\n3,4,c\r\n\r\n"));
        assertThat(trace.size()).isEqualTo(2);
        assertThat(trace.classNames()).containsExactly("a b", "c");
    }

    @Test
    void aFileThatIsNotThereAndAClosedLoopAreRefused() throws Exception {
        assertThatThrownBy(() -> PointSpec.of(Map.of("mix", "trace:" + folder.resolve("none"))))
                .hasMessageContaining("none").hasMessageContaining("there is no such file");
        Path file = file(csv(bursty()));
        assertThatThrownBy(() -> PointSpec.of(Map.of("mix", "trace:" + file, "clients", "3")))
                .hasMessageContaining("closed loop");
        Files.write(folder.resolve("jobs.csv"), new byte[] { 'a', (byte) 0xff, (byte) 0xfe, '\n' });
        assertThatThrownBy(() -> PointSpec.of(Map.of("mix", "trace:" + file))).hasMessageContaining("UTF-8");
    }
}
