package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.policy.FifoAgent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the JDK's flight recorder keeps of a live host and its agent. */
@Timeout(120)
class FlightRecorderTest {
    private static final long LIMIT_NANOS = 60_000_000_000L;

    @TempDir
    private Path folder = Path.of("");

    private List<RecordedEvent> stop(Recording recording) throws IOException {
        recording.stop();
        Path file = folder.resolve("run.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("dev.bascule.")).toList();
    }

    private static List<RecordedEvent> of(List<RecordedEvent> events, String name) {
        return events.stream().filter(event -> event.getEventType().getName().equals("dev.bascule." + name)).toList();
    }

    @Test
    void roundsAndCommitsAreRecordedWhenAskedFor() throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.enable("dev.bascule.Round");
            recording.enable("dev.bascule.Commit");
            recording.start();
            try (LiveHost host = LiveHost.local(FifoAgent::new, 1, (job, yield) -> {})) {
                awaitAgent(host);
                assertThat(host.serve(new PacedJobs(500, 10_000), LIMIT_NANOS)).isTrue();
            }
            events = stop(recording);
        }
        assertThat(of(events, "Round")).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getInt("work")).isPositive();
            assertThat(event.getEventType().getCategoryNames()).containsExactly("Bascule");
        });
        assertThat(of(events, "Commit")).isNotEmpty()
                .allSatisfy(event -> assertThat(event.getInt("decisions")).isPositive());
    }

    @Test
    void ofARecordingAsItIsByDefaultOnlyFencesAndIncidentsAreThere() throws Exception {
        CountDownLatch replaced = new CountDownLatch(2);
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.start();
            try (LiveHost host = LiveHost.local(() -> {
                replaced.countDown();
                return replaced.getCount() > 0 ? new Broken() : new FifoAgent();
            }, 1, (job, yield) -> {})) {
                replaced.await();
                awaitAgent(host);
                assertThat(host.serve(new PacedJobs(500, 10_000), LIMIT_NANOS)).isTrue();
            }
            events = stop(recording);
        }
        assertThat(of(events, "Fence")).isNotEmpty().first()
                .satisfies(event -> assertThat(event.getString("reason")).contains("broken policy"));
        assertThat(of(events, "Incident")).isNotEmpty().first()
                .satisfies(event -> assertThat(event.getString("what")).contains("broken policy"));
        assertThat(of(events, "Round")).isEmpty();
        assertThat(of(events, "Commit")).isEmpty();
    }

    private static void awaitAgent(LiveHost host) throws InterruptedException {
        while (!host.isAgentReady()) {
            assertThat(host.isAgentExpected()).as("%s", host.incidents()).isTrue();
            Thread.sleep(1);
        }
    }

    private static final class Broken implements Agent {
        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            throw new IllegalStateException("broken policy");
        }
    }
}
