package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnDemandTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void whatRanLastIsSaidOfALaneOnDemandAndOfNoOther() throws Exception {
        Files.createDirectories(folder.resolve(".ci"));
        OnDemand lanes = new OnDemand(new Clone(folder, folder.resolve("target"), "mvn", ""));
        assertThat(lanes.lastRan("rdma")).isEmpty();
        lanes.note(LaneResult.ran("rdma", "9 tests, in 7 s"));
        lanes.note(LaneResult.failed("fuzz", "no"));
        lanes.note(LaneResult.failed("rdma", "8 tests, 1 failed"));
        lanes.note(LaneResult.skipped("fuzz", "not asked for"));
        lanes.note(LaneResult.ran("lab", "always there"));
        assertThat(lanes.lastRan("rdma")).matches("; last ran \\d{4}-\\d\\d-\\d\\d \\S+ failed: 8 tests, 1 failed");
        assertThat(lanes.lastRan("fuzz")).endsWith("failed: no");
        assertThat(lanes.lastRan("lab")).isEmpty();
    }

    @Test
    void aProgramThatIsNotThereEndsAsInAShell() throws Exception {
        Program nobody = new Clone(folder, folder.resolve("target"), "mvn", "").program("no",
                List.of("no-such-program"));
        assertThat(nobody.run("no", log -> "")).isEqualTo(Program.NOT_FOUND);
        assertThat(nobody.lastLine()).contains("no-such-program");
    }
}
