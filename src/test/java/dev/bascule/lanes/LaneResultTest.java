package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LaneResultTest {
    @TempDir
    private Path folder = Path.of("");

    private Reports reports(String cases) throws Exception {
        Files.writeString(folder.resolve("TEST-a.xml"), "<testsuite>" + cases + "</testsuite>");
        return Reports.of(folder);
    }

    @Test
    void testsThatPassedMakeALaneThatRan() throws Exception {
        LaneResult lane = LaneResult.ofTests("unit", reports("<testcase name='a' classname='B'/>"), 0, "see the log");
        assertThat(lane.status()).isEqualTo(LaneResult.Status.RAN);
        assertThat(lane.detail()).isEqualTo("1 tests, 0 failed, 0 skipped");
    }

    @Test
    void aLaneWithoutATestHasFailed() throws Exception {
        assertThat(LaneResult.ofTests("unit", reports(""), 0, "see the log").status())
                .isEqualTo(LaneResult.Status.FAILED);
    }

    @Test
    void aBadStatusWithoutAFailedTestIsAFailureMore() throws Exception {
        LaneResult lane = LaneResult.ofTests("unit", reports("<testcase name='a' classname='B'/>"), 3, "see the log");
        assertThat(lane.status()).isEqualTo(LaneResult.Status.FAILED);
        assertThat(lane.counts()).isEqualTo(new Counts(1, 1, 0));
        assertThat(lane.detail()).isEqualTo("1 tests, 0 failed, 0 skipped, exit status 3; see the log");
    }

    @Test
    void aFailedTestIsCountedOnceWhateverTheStatus() throws Exception {
        LaneResult lane = LaneResult.ofTests("unit",
                reports("<testcase name='a' classname='B'><failure message='no'/></testcase>"), 1, "see the log");
        assertThat(lane.counts()).isEqualTo(new Counts(0, 1, 0));
    }
}
