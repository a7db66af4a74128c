package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MessageType;
import dev.bascule.host.HostCpus.Change;
import dev.bascule.host.HostCpus.State;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** CPUs that are taken, unplugged and come back, and tasks whose CPUs change, under a running host. */
class HostCpusTest {
    /** What works ends long before: each job of eight CPUs' threads waits its turn on the machine's cores several times. */
    private static final long LIMIT_NANOS = 300_000_000_000L;
    /** The host never helps itself: a decision that stays at a CPU which is away keeps its job for ever. */
    private static final LiveOptions PATIENT = new LiveOptions(16, 1, 1 << 10, LIMIT_NANOS, 2 * LIMIT_NANOS, true);

    /** Eight jobs at a time, again and again until it is told to stop. */
    private static final class Endless implements JobSource {
        private final AtomicInteger ended = new AtomicInteger();
        private final AtomicIntegerArray onCpu;
        private volatile boolean stop;
        private int taken;

        Endless(int cpus) {
            onCpu = new AtomicIntegerArray(cpus);
        }

        @Override
        public long nextDueNanos() {
            return stop ? NO_MORE : taken - ended.get() < 8 ? 0 : System.nanoTime() + 20_000;
        }

        @Override
        public int take() {
            return taken++;
        }

        @Override
        public void rejected(int job) {
            throw new AssertionError("no job may be refused: " + job);
        }

        void run(int job, YieldPoint yield) {
            for (int i = 0; i < 3; i++) {
                onCpu.incrementAndGet(((LiveTask) yield).cpuId());
                yield.maybeYield();
            }
            ended.incrementAndGet();
        }

        boolean goOn(int jobs) {
            int from = ended.get();
            return until(() -> ended.get() >= from + jobs);
        }
    }

    private static boolean until(BooleanSupplier condition) {
        long limit = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > limit) {
                return false;
            }
            LockSupport.parkNanos(100_000);
        }
        return true;
    }

    @ParameterizedTest
    @CsvSource({ "2,on-host,TAKE", "4,wave,OFFLINE", "4,swap,TAKE", "8,on-host,OFFLINE", "2,swap,OFFLINE",
            "8,wave,TAKE" })
    void aCpuThatIsAwayRunsNothingUntilItIsBack(int cpus, String transport, Change leaves) throws Exception {
        Endless jobs = new Endless(cpus);
        int away = cpus / 2;
        Map<MessageType, AtomicInteger> seen = new ConcurrentHashMap<>();
        EnclaveShape shape = new EnclaveShape(cpus, 16, 1, 256, 2);
        try (LiveHost host = LiveHost.start(LiveJobsTest.transport(transport), () -> new LiveJobsTest.Counting(seen),
                shape, PATIENT, jobs::run)) {
            Thread change = Thread.ofPlatform().start(() -> {
                try {
                    for (int again = 0; again < 3; again++) {
                        leaveAndComeBack(host, jobs, away, leaves);
                    }
                } finally {
                    jobs.stop = true;
                }
            });
            assertThat(LiveJobsTest.serve(host, jobs, LIMIT_NANOS)).as("%s", host.incidents()).isTrue();
            change.join();
            assertThat(host.counters().failedJobs()).as("%s", host.incidents()).isZero();
            assertThat(host.cpus().events()).hasSize(6).contains("CPU " + away
                    + (leaves == Change.TAKE ? " was taken" : " went offline"));
        }
        assertThat(seen.get(MessageType.CPU_BUSY)).hasValue(3);
        assertThat(seen.get(MessageType.CPU_AVAILABLE)).hasValue(3);
    }

    private static void leaveAndComeBack(LiveHost host, Endless jobs, int away, Change leaves) {
        HostCpus cpus = host.cpus();
        assertThat(jobs.goOn(25)).isTrue();
        cpus.change(away, leaves);
        assertThat(cpus.state(away)).isEqualTo(leaves == Change.TAKE ? State.TAKEN : State.OFFLINE);
        assertThat(until(() -> cpus.isIdle(away))).isTrue();
        int before = jobs.onCpu.get(away);
        assertThat(jobs.goOn(50)).as("jobs that ended while CPU %d was away", away).isTrue();
        assertThat(jobs.onCpu.get(away)).isEqualTo(before);
        cpus.change(away, leaves == Change.TAKE ? Change.GIVE : Change.ONLINE);
        assertThat(cpus.state(away)).isEqualTo(State.AVAILABLE);
        assertThat(until(() -> jobs.onCpu.get(away) > before)).as("CPU %d works again", away).isTrue();
    }

    @Test
    void allCpusMayBeTakenButOneStaysOnline() throws Exception {
        Endless jobs = new Endless(2);
        try (LiveHost host = LiveHost.start(LiveJobsTest.transport("wave"), FifoAgent::new, EnclaveShape.of(2, 16),
                PATIENT, jobs::run)) {
            HostCpus cpus = host.cpus();
            cpus.change(1, Change.OFFLINE);
            assertThatThrownBy(() -> cpus.change(0, Change.OFFLINE)).isInstanceOf(IllegalStateException.class)
                    .hasMessage("unplug CPU 0: it is the last one online");
            assertThatThrownBy(() -> cpus.change(2, Change.TAKE)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("there is no CPU 2; CPUs are 0 to 1");
            cpus.change(0, Change.TAKE);
            cpus.change(0, Change.TAKE);
            Thread server = Thread.ofPlatform().start(() -> serve(host, jobs));
            Thread.sleep(20);
            assertThat(jobs.ended).as("without a CPU").hasValue(0);
            cpus.change(0, Change.GIVE);
            assertThat(jobs.goOn(50)).as("with one again, %s", host.incidents()).isTrue();
            jobs.stop = true;
            server.join();
            assertThat(cpus.state(1)).isEqualTo(State.OFFLINE);
            assertThat(cpus.events()).containsExactly("CPU 1 went offline", "CPU 0 was taken", "CPU 0 was given back");
        }
        assertThat(jobs.onCpu.get(1)).isZero();
    }

    private static void serve(LiveHost host, JobSource jobs) {
        try {
            assertThat(host.serve(jobs, LIMIT_NANOS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4, 8 })
    void boundJobsRunOnTheirCpusOnly(int cpus) throws Exception {
        AtomicReference<String> wrong = new AtomicReference<>("");
        JobSource bound = new LiveJobsTest.Jobs(200) {
            @Override
            public long affinityOf(int job) {
                return job % 3 == 0 ? -1 : 1L << job % cpus;
            }
        };
        try (LiveHost host = LiveHost.start(LiveJobsTest.transport("wave"), () -> new RoundRobinAgent(20_000),
                EnclaveShape.of(cpus, 16), PATIENT, (job, yield) -> {
                    for (int i = 0; i < 20; i++) {
                        int cpu = ((LiveTask) yield).cpuId();
                        if ((bound.affinityOf(job) >>> cpu & 1) == 0) {
                            wrong.set("job " + job + " on CPU " + cpu);
                        }
                        yield.maybeYield();
                    }
                })) {
            assertThat(host.serve(bound, LIMIT_NANOS)).as("%s", host.incidents()).isTrue();
        }
        assertThat(wrong.get()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap" })
    void aJobMovesWhenItChangesItsCpus(String transport) throws Exception {
        StringBuffer went = new StringBuffer();
        try (LiveHost host = LiveHost.start(LiveJobsTest.transport(transport), FifoAgent::new, EnclaveShape.of(4, 16),
                PATIENT, (job, yield) -> {
                    for (int cpu = 3; cpu >= 0; cpu--) {
                        yield.setAffinity(1L << cpu);
                        went.append(((LiveTask) yield).cpuId());
                    }
                    assertThatThrownBy(() -> yield.setAffinity(1L << 4)).hasMessageContaining("none of them is online");
                })) {
            assertThat(host.serve(JobSource.every(0, 1), LIMIT_NANOS)).as("%s", host.incidents()).isTrue();
            assertThat(host.counters().failedJobs()).as("%s", host.incidents()).isZero();
        }
        assertThat(went.toString()).isEqualTo("3210");
    }

    @Test
    void whoIsBoundToUnpluggedCpusMayUseAny() throws Exception {
        AtomicIntegerArray ranOn = new AtomicIntegerArray(new int[] { -1, -1 });
        AtomicInteger ran = new AtomicInteger();
        JobSource bound = new LiveJobsTest.Jobs(2) {
            @Override
            public long affinityOf(int job) {
                return 0b10;
            }
        };
        try (LiveHost host = LiveHost.start(LiveJobsTest.transport("on-host"), FifoAgent::new, EnclaveShape.of(2, 16),
                PATIENT, (job, yield) -> {
                    LiveTask task = (LiveTask) yield;
                    if (ran.getAndIncrement() == 0) { // an agent that starts later than both finds them by their numbers
                        task.hostCpus().change(1, Change.OFFLINE);
                        yield.maybeYield();
                    }
                    ranOn.set(job, task.cpuId());
                })) {
            assertThat(host.serve(bound, LIMIT_NANOS)).as("%s", host.incidents()).isTrue();
            assertThat(host.counters().failedJobs()).as("%s", host.incidents()).isZero();
            assertThat(host.cpus().events()).anyMatch(event -> event.matches(
                    "task \\d+ may use any CPU from now on: all of its own are offline"));
        }
        assertThat(ranOn).as("the one that unplugged it and the other").hasToString("[0, 0]");
    }
}
