package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.Agent;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.PerCpuFifoAgent;
import dev.bascule.ring.IdleStrategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two enclaves of two agents each on the four CPUs of one machine, over a transport each. */
class EnclavesTest {
    private static final long LIMIT_NANOS = 60_000_000_000L;
    private static final int CPUS = 4;
    private static final int JOBS = 4000;
    private static final int ANY = -1;
    private static final List<String> NAMES = List.of("web", "batch");

    @TempDir
    private Path directory;

    private final List<AtomicIntegerArray> runs = List.of(new AtomicIntegerArray(JOBS), new AtomicIntegerArray(JOBS));
    /** By CPU: whose it is, as the test has said; {@link #ANY} while it moves. */
    private final AtomicIntegerArray owner = new AtomicIntegerArray(new int[] { 0, 0, 1, 1 });
    private final AtomicIntegerArray onCpu = new AtomicIntegerArray(CPUS);
    private final AtomicInteger strangers = new AtomicInteger();
    private final AtomicInteger together = new AtomicInteger();
    private final List<Session> sessions = new ArrayList<>();
    private final List<MechanismEnd> ends = new ArrayList<>();
    private final Enclaves enclaves = new Enclaves(CPUS);
    private final ExecutorService servers = Executors.newFixedThreadPool(NAMES.size());

    private Enclaves start(List<String> transports, List<Supplier<Agent>> policies, List<JobRunner> runners)
            throws IOException {
        for (int i = 0; i < NAMES.size(); i++) {
            Path own = Files.createDirectory(directory.resolve(NAMES.get(i)));
            Session session = LiveJobsTest.transport(transports.get(i)).apply(own);
            sessions.add(session);
            MechanismEnd end = session.openHost(new EnclaveShape(CPUS, 64, 2, 256, 1));
            ends.add(end);
            Supplier<Agent> policy = policies.get(i);
            List<ThreadAgent> agents = IntStream.range(0, 2).mapToObj(
                    agent -> new ThreadAgent(session, agent, policy, () -> IdleStrategy.spinThenYield(64))).toList();
            LiveHost host = new LiveHost(end, new Mechanism(end, System::nanoTime, DecisionListener.NONE),
                    new LiveOptions(32, 1, 100_000, LIMIT_NANOS, LIMIT_NANOS, true), agents, runners.get(i));
            enclaves.add(NAMES.get(i), host, 2 * i, 2 * i + 1);
        }
        enclaves.start();
        NAMES.forEach(name -> until(enclaves.host(name)::isAgentReady));
        return enclaves;
    }

    private Enclaves start(String first, String second, Supplier<Agent> policy) throws IOException {
        return start(List.of(first, second), List.of(policy, PerCpuFifoAgent::new),
                List.of((job, yield) -> run(0, job, yield), (job, yield) -> run(1, job, yield)));
    }

    @AfterEach
    void close() {
        enclaves.close();
        sessions.forEach(Session::close);
        servers.shutdownNow();
    }

    private void run(int enclave, int job, YieldPoint yield) {
        for (int i = 0; i < 3; i++) {
            int cpu = ((LiveTask) yield).cpuId();
            together.addAndGet(onCpu.compareAndSet(cpu, 0, 1) ? 0 : 1);
            int whose = owner.get(cpu);
            strangers.addAndGet(whose == ANY || whose == enclave ? 0 : 1);
            for (int spin = 0; spin < 20; spin++) {
                Thread.onSpinWait();
            }
            onCpu.set(cpu, 0);
            yield.maybeYield();
        }
        runs.get(enclave).incrementAndGet(job);
    }

    private static void until(BooleanSupplier condition) {
        long limit = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited in vain").isLessThan(limit);
            LockSupport.parkNanos(100_000);
        }
    }

    private List<Future<Boolean>> serveBoth(int jobs) {
        return NAMES.stream().map(name -> servers
                .submit(() -> enclaves.host(name).serve(new PacedJobs(5_000, jobs), LIMIT_NANOS))).toList();
    }

    private void move(int cpu, int to) {
        owner.set(cpu, ANY);
        assertThat(enclaves.move(cpu, NAMES.get(to), LIMIT_NANOS)).isPositive();
        owner.set(cpu, to);
        assertThat(enclaves.host(NAMES.get(1 - to)).cpus().isIdle(cpu)).isTrue();
        assertThat(enclaves.ownerOf(cpu)).isEqualTo(NAMES.get(to));
    }

    private void allRan(int times) {
        for (int enclave = 0; enclave < NAMES.size(); enclave++) {
            for (int job = 0; job < JOBS; job++) {
                assertThat(runs.get(enclave).get(job)).as("runs of job %d of %s", job, NAMES.get(enclave))
                        .isEqualTo(times);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({ "on-host,wave", "wave,swap", "swap,on-host" })
    void everyJobRunsOnceWhileCpusGoFromOneToTheOther(String first, String second) throws Exception {
        start(first, second, FifoAgent::new);
        List<Future<Boolean>> serving = serveBoth(JOBS);
        do {
            move(1, 1);
            LockSupport.parkNanos(500_000);
            move(1, 0);
            move(2, 0);
            LockSupport.parkNanos(500_000);
            move(2, 1);
        } while (!serving.stream().allMatch(Future::isDone));
        for (int i = 0; i < NAMES.size(); i++) {
            assertThat(serving.get(i).get()).as("%s", enclaves.host(NAMES.get(i)).incidents()).isTrue();
        }
        allRan(1);
        assertThat(strangers).as("looks at a CPU that another enclave has").hasValue(0);
        assertThat(together).as("tasks beside another on one CPU").hasValue(0);
        for (String name : NAMES) {
            assertThat(enclaves.host(name).incidents()).isEmpty();
            assertThat(enclaves.host(name).counters().localDecisions()).as("decisions of the host").isZero();
        }
    }

    /** Fails in its first round after it is told to. */
    private static final class Failing implements Agent {
        private final FifoAgent policy = new FifoAgent();
        private volatile boolean failing;

        @Override
        public void reset(Enclave enclave) {
            policy.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            if (failing) {
                throw new IllegalStateException("told to");
            }
            return policy.doWork(enclave);
        }
    }

    @Test
    void aCrashStaysInItsEnclave() throws Exception {
        Failing broken = new Failing();
        AtomicInteger made = new AtomicInteger();
        start("wave", "on-host", () -> made.getAndIncrement() == 1 ? broken : new FifoAgent());
        List<Future<Boolean>> serving = serveBoth(JOBS);
        broken.failing = true;
        until(() -> enclaves.host("web").counters().fences() == 1);
        for (Future<Boolean> one : serving) {
            assertThat(one.get()).isTrue();
        }
        until(() -> enclaves.host("web").isAgentReady());
        for (Future<Boolean> one : serveBoth(JOBS)) {
            assertThat(one.get()).isTrue();
        }
        allRan(2);
        assertThat(enclaves.host("web").incidents()).singleElement().asString().contains("told to");
        assertThat(enclaves.host("batch").incidents()).isEmpty();
        assertThat(IntStream.range(0, 2).map(ends.get(1)::epoch)).as("epochs of the other").containsOnly(1);
    }

    @Test
    void aCpuWhoseTaskDoesNotYieldStaysWhereItIs() throws Exception {
        AtomicInteger where = new AtomicInteger(ANY);
        AtomicInteger gate = new AtomicInteger();
        JobRunner stubborn = (job, yield) -> {
            where.set(((LiveTask) yield).cpuId());
            while (gate.get() == 0) {
                Thread.onSpinWait();
            }
            runs.getFirst().incrementAndGet(job);
        };
        start(List.of("on-host", "on-host"), List.of(FifoAgent::new, FifoAgent::new), List.of(stubborn, stubborn));
        Future<Boolean> serving = servers.submit(() -> enclaves.host("web").serve(new PacedJobs(0, 1), LIMIT_NANOS));
        until(() -> where.get() != ANY);
        assertThatThrownBy(() -> enclaves.move(where.get(), "batch", 20_000_000)).isInstanceOf(IllegalStateException.class)
                .hasMessage("move CPU " + where + " from enclave web to batch: the task that runs there has not reached a"
                        + " yield point in time; it stays with web");
        assertThat(enclaves.ownerOf(where.get())).isEqualTo("web");
        gate.set(1);
        assertThat(serving.get()).isTrue();
        assertThat(enclaves.move(where.get(), "batch", LIMIT_NANOS)).isPositive();
        assertThat(enclaves.cpusOf("batch")).hasSize(3);
    }

    @Test
    void whatCannotBeIsRefused() throws Exception {
        start("on-host", "wave", FifoAgent::new);
        LiveHost web = enclaves.host("web");
        assertThatThrownBy(() -> enclaves.move(4, "web", 1)).hasMessage("there is no CPU 4; CPUs are 0 to 3");
        assertThatThrownBy(() -> enclaves.move(1, "db", 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no enclave db; there are [web, batch]");
        assertThatThrownBy(() -> enclaves.add("web", web, 0)).hasMessageContaining("one of that name already");
        assertThatThrownBy(() -> enclaves.add("db", web, 3)).hasMessage("enclave db: CPU 3 is that of enclave batch");
        assertThatThrownBy(() -> enclaves.add("db", web)).hasMessageContaining("has no CPU");
        assertThatThrownBy(() -> new Enclaves(8).add("db", web, 3))
                .hasMessageStartingWith("enclave db: its host has 4 CPUs, the machine has 8");
        assertThat(enclaves.move(1, "web", 1)).as("it is there").isZero();
        enclaves.move(0, "batch", LIMIT_NANOS);
        assertThatThrownBy(() -> enclaves.move(1, "batch", 1)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it is the last one there");
        assertThat(enclaves.cpusOf("batch")).containsExactly(0, 2, 3);
    }
}
