package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.policy.FifoAgent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LiveHostStartTest {
    private static final int JOBS = 2_000;
    private static final long LIMIT_NANOS = 60_000_000_000L;

    enum Transport {
        LOCAL {
            @Override
            LiveHost start(Supplier<? extends Agent> policy, int cpus, JobRunner jobs) {
                return LiveHost.local(policy, cpus, jobs);
            }
        },
        WAVE {
            @Override
            LiveHost start(Supplier<? extends Agent> policy, int cpus, JobRunner jobs) {
                return LiveHost.wave(policy, cpus, jobs);
            }
        },
        SWAP {
            @Override
            LiveHost start(Supplier<? extends Agent> policy, int cpus, JobRunner jobs) {
                return LiveHost.swap(policy, cpus, jobs);
            }
        };

        abstract LiveHost start(Supplier<? extends Agent> policy, int cpus, JobRunner jobs);
    }

    @ParameterizedTest
    @EnumSource
    void oneLineStartsAHostThatRunsEveryJobOnce(Transport transport) throws Exception {
        AtomicIntegerArray runs = new AtomicIntegerArray(JOBS);
        try (LiveHost host = transport.start(FifoAgent::new, 2, (job, yield) -> runs.incrementAndGet(job))) {
            assertThat(host.serve(JobSource.every(5_000, JOBS), LIMIT_NANOS)).as("%s", host.incidents()).isTrue();
            assertThat(host.counters().rejected()).isZero();
        }
        for (int job = 0; job < JOBS; job++) {
            assertThat(runs.get(job)).as("job %d", job).isOne();
        }
    }

    @Test
    void theRunDirectoryGoesWithTheHost() throws Exception {
        AtomicReference<Path> directory = new AtomicReference<>();
        LiveHost host = LiveHost.start(path -> {
            directory.set(path);
            return Session.swap(path, LinkSetup.DEFAULT, false);
        }, FifoAgent::new, EnclaveShape.of(1, 8), new LiveOptions(8, 1, 100, 200_000, 20_000_000, true),
                (job, yield) -> {});
        assertThat(directory.get()).isDirectory();
        host.serve(JobSource.every(0, 10), LIMIT_NANOS);
        host.close();
        assertThat(Files.exists(directory.get())).isFalse();
    }

    @Test
    void aHostThatCannotStartLeavesNothing() {
        AtomicReference<Path> directory = new AtomicReference<>();
        assertThatThrownBy(() -> LiveHost.start(path -> {
            directory.set(path);
            return Session.onHost(path, false);
        }, FifoAgent::new, EnclaveShape.of(1, 8), LiveOptions.of(1), (job, yield) -> {}))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("64 workers");
        assertThat(Files.exists(directory.get())).isFalse();
    }

    @Test
    void aJobWithoutRoomEndsTheRun() {
        LiveOptions narrow = new LiveOptions(1, 1, 1, 200_000, 20_000_000, true);
        try (LiveHost host = LiveHost.start(path -> Session.onHost(path, false), FifoAgent::new,
                EnclaveShape.of(1, 8), narrow, (job, yield) -> {})) {
            assertThatThrownBy(() -> host.serve(JobSource.every(0, 1_000), LIMIT_NANOS))
                    .isInstanceOf(AgentException.class).hasMessageContaining("no room for job");
        }
    }

    @Test
    void pacedJobsAreDueAtTheirInterval() {
        JobSource jobs = JobSource.every(1_000, 3);
        long first = jobs.nextDueNanos();
        assertThat(jobs.take()).isZero();
        assertThat(jobs.nextDueNanos()).isEqualTo(first + 1_000);
        jobs.take();
        jobs.take();
        assertThat(jobs.nextDueNanos()).isEqualTo(JobSource.NO_MORE);
        assertThatThrownBy(() -> JobSource.every(-1, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
