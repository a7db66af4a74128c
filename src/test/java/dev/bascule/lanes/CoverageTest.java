package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoverageTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void linesAndBranchesAreAddedAndSharedByPackage() throws Exception {
        Path csv = Files.writeString(folder.resolve("jacoco.csv"),
                """
                        GROUP,PACKAGE,CLASS,INSTRUCTION_MISSED,INSTRUCTION_COVERED,BRANCH_MISSED,BRANCH_COVERED,LINE_MISSED,LINE_COVERED
                        Bascule,b,B,9,9,1,3,10,30
                        Bascule,a,A,9,9,1,3,0,40
                        Bascule,b,C,9,9,0,0,20,0
                        """);
        LaneResult lane = Coverage.of(csv);
        assertThat(lane.detail()).isEqualTo("70.0 % of 100 lines, 75.0 % of 8 branches");
        assertThat(lane.lines()).containsExactly("    100.0 %     40 lines  a", "     50.0 %     60 lines  b");
    }

    @Test
    void withoutDataTheLaneIsSkipped() throws Exception {
        assertThat(Coverage.of(folder.resolve("none")).status()).isEqualTo(LaneResult.Status.SKIPPED);
    }
}
