package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteLaneTest {
    @TempDir
    private Path pages = Path.of("");

    @TempDir
    private Path built = Path.of("");

    @BeforeEach
    void build() throws Exception {
        Files.writeString(pages.resolve("one.md"), "# One");
        Files.writeString(built.resolve("one.html"), """
                <a href="https://else.example/no.html">x</a> <a href="#here">y</a> <a href="one.html#there">z</a>
                <a href="apidocs/index.html">j</a>""");
        Files.createDirectories(built.resolve("apidocs"));
        Files.writeString(built.resolve("apidocs/index.html"), "");
    }

    @Test
    void pagesWithoutAWarningPass() throws Exception {
        LaneResult lane = SiteLane.judge(0, "[INFO] [WARNING] is a word\n", pages, built);
        assertThat(lane.status()).isEqualTo(LaneResult.Status.RAN);
        assertThat(lane.detail()).startsWith("1 pages and Javadoc without a warning");
    }

    @Test
    void aWarningFailsTheLaneAndIsSaid() throws Exception {
        LaneResult lane = SiteLane.judge(0, "[INFO] x\n[WARNING] Unresolved link\n", pages, built);
        assertThat(lane.status()).isEqualTo(LaneResult.Status.FAILED);
        assertThat(lane.lines()).containsExactly("    failed: site: [WARNING] Unresolved link");
    }

    @Test
    void aMissingPageAndALinkIntoNothingFailTheLane() throws Exception {
        Files.writeString(pages.resolve("two.md"), "# Two");
        Files.writeString(built.resolve("one.html"), "<a href=\"three.md\">x</a>");
        Files.delete(built.resolve("apidocs/index.html"));
        assertThat(SiteLane.judge(1, "", pages, built).lines()).containsExactly(
                "    failed: site: mvn site ended with status 1", "    failed: site: one.html has a link to three.md",
                "    failed: site: no page was built of two.md", "    failed: site: no Javadoc was built");
    }
}
