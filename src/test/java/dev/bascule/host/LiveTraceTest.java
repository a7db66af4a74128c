package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.Outcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveTraceTest {
    @TempDir
    private Path directory = Path.of("");

    private record Ran(int cpu, int task, long from, long nanos, boolean preempted) {}

    private static final class Seen implements LiveTrace.Reader {
        private final List<Ran> runs = new ArrayList<>();
        private final List<Integer> wakes = new ArrayList<>();

        @Override
        public void woke(long atNanos, int task) {
            wakes.add(task);
        }

        @Override
        public void ran(int cpu, int task, long fromNanos, long nanos, boolean preempted) {
            runs.add(new Ran(cpu, task, fromNanos, nanos, preempted));
        }

        @Override
        public void decided(int cpu, int task, Outcome outcome, long observedNanos, long settledNanos) {}

        @Override
        public void crossed(long atNanos, long commits, long interrupts) {}

        @Override
        public void agent(long atNanos, boolean isReady) {}
    }

    @Test
    void anotherMappingOfTheFileSeesWhatWasRecorded() {
        try (LiveTrace trace = LiveTrace.create(directory, 2); LiveTrace other = LiveTrace.open(directory, 2)) {
            trace.woke(5, 7);
            trace.ran(1, 7, 10, 20, true);
            Seen seen = new Seen();
            other.newest(100, seen);
            assertThat(seen.wakes).containsExactly(7);
            assertThat(seen.runs).containsExactly(new Ran(1, 7, 10, 20, true));
        }
    }

    @Test
    void ofAFullRingTheNewestAreThere() {
        LiveTrace trace = new LiveTrace(1);
        for (int i = 0; i < LiveTrace.RECORDS + 10; i++) {
            trace.ran(0, i, i, 1, false);
        }
        Seen all = new Seen();
        trace.read(all);
        assertThat(all.runs).hasSize(LiveTrace.RECORDS).first().isEqualTo(new Ran(0, 10, 10, 1, false));
        assertThat(trace.overwritten()).isEqualTo(10);
        Seen few = new Seen();
        trace.newest(3, few);
        assertThat(few.runs).extracting(Ran::task).containsExactly(LiveTrace.RECORDS + 7, LiveTrace.RECORDS + 8,
                LiveTrace.RECORDS + 9);
    }

    @Test
    void whatIsReadWhileTheRingTurnsIsWholeAndInOrder() throws InterruptedException {
        LiveTrace trace = new LiveTrace(1);
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch turned = new CountDownLatch(1);
        Thread writer = new Thread(() -> {
            for (int i = 0; !stop.get(); i++) {
                trace.ran(0, i & 0xffff, i, ~(long) i, (i & 1) != 0);
                if (i == 3 * LiveTrace.RECORDS) {
                    turned.countDown();
                }
            }
        });
        writer.start();
        try {
            turned.await();
            for (int look = 0; look < 300; look++) {
                Seen seen = new Seen();
                trace.newest(LiveTrace.RECORDS, seen);
                long last = -1;
                for (Ran run : seen.runs) {
                    assertThat(run).isEqualTo(new Ran(0, (int) run.from & 0xffff, run.from, ~run.from,
                            (run.from & 1) != 0));
                    assertThat(run.from).isGreaterThan(last);
                    last = run.from;
                }
            }
        } finally {
            stop.set(true);
            writer.join();
        }
    }

    @Test
    void aHostWithoutATraceHasNone() {
        assertThat(LiveTrace.open(directory, 2)).isNull();
    }

    @Test
    void aTraceOfOtherCpusIsRefused() {
        LiveTrace.create(directory, 2).close();
        assertThatThrownBy(() -> LiveTrace.open(directory, 3)).isInstanceOf(AgentException.class)
                .hasMessageStartingWith("open trace: ");
    }
}
