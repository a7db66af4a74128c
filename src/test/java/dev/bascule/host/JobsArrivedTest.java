package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.policy.FifoAgent;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A host whose jobs come from outside is told of them: its CPUs sleep, and nobody asks the source for an hour. */
@Timeout(300)
class JobsArrivedTest {
    private static final int JOBS = 500;
    private static final long HOUR_NANOS = 3_600_000_000_000L;
    private static final EnclaveShape SHAPE = new EnclaveShape(2, 64, 1, 256, 1);
    private static final LiveOptions SLEEPY = new LiveOptions(64, 2, 1 << 10, 200_000, 20_000_000, false);

    /** Jobs that a thread outside puts. */
    private static class Outside implements JobSource {
        final AtomicInteger put = new AtomicInteger();
        private int taken;
        private volatile boolean closed;

        @Override
        public long nextDueNanos() {
            if (taken < put.get()) {
                return Long.MIN_VALUE; // long ago
            }
            return closed ? NO_MORE : System.nanoTime() + HOUR_NANOS;
        }

        @Override
        public int take() {
            return taken++;
        }

        @Override
        public void rejected(int job) {
            throw new AssertionError("job " + job + " was rejected");
        }

        void put(LiveHost host) {
            put.incrementAndGet();
            tell(host);
        }

        void close(LiveHost host) {
            closed = true;
            tell(host);
        }

        private static void tell(LiveHost host) {
            while (!host.jobsArrived()) {
                Thread.onSpinWait();
            }
        }
    }

    private static Thread serve(LiveHost host, JobSource jobs) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                host.serve(jobs, HOUR_NANOS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Before each job the CPUs have nothing and sleep. */
    private static void oneAtATime(LiveHost host, Outside jobs, Semaphore done) throws InterruptedException {
        Thread serving = serve(host, jobs);
        for (int i = 0; i < JOBS; i++) {
            jobs.put(host);
            assertThat(done.tryAcquire(20, TimeUnit.SECONDS)).as("job %d", i).isTrue();
        }
        jobs.close(host);
        serving.join();
        assertThat(host.hasFailed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap" })
    void aJobThatIsToldOfIsDoneThoughNobodyAsksForIt(String transport) throws Exception {
        Semaphore done = new Semaphore(0);
        try (LiveHost host = LiveHost.start(LiveJobsTest.transport(transport), FifoAgent::new, SHAPE, SLEEPY,
                (job, yield) -> done.release())) {
            oneAtATime(host, new Outside(), done);
        }
    }

    @Test
    void itIsDoneAlsoWithoutAnAgent() throws Exception {
        Semaphore done = new Semaphore(0);
        try (LiveHost host = LiveHost.start(LiveJobsTest.transport("wave"), () -> {
            throw new IllegalStateException("no agent comes up");
        }, SHAPE, SLEEPY, (job, yield) -> done.release())) {
            oneAtATime(host, new Outside(), done);
        }
    }

    @Test
    void whoTellsNeverWaitsForAHostThatIsBusy() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Outside jobs = new Outside() {
            @Override
            public int take() { // under the host's lock
                inside.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return super.take();
            }
        };
        CountDownLatch ran = new CountDownLatch(1);
        try (LiveHost host = LiveHost.start(LiveJobsTest.transport("on-host"), FifoAgent::new, SHAPE, SLEEPY,
                (job, yield) -> ran.countDown())) {
            Thread serving = serve(host, jobs);
            Thread first = Thread.ofPlatform().start(() -> jobs.put(host));
            inside.await();
            assertThat(host.jobsArrived()).isFalse(); // returns, which is the point
            go.countDown();
            first.join();
            assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
            jobs.close(host);
            serving.join();
        }
    }
}
