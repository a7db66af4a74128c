package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lanes of other releases of DPDK and of a bare Debian in a clone whose path has spaces, with a script and a compiler of the test. */
@Tag("process")
class ForeignLanesTest {
    @TempDir
    private Path folder = Path.of("");

    private Path base = Path.of("");

    @BeforeEach
    void makeTheClone() throws Exception {
        base = Files.createDirectories(folder.resolve("a path with spaces"));
        Files.createDirectories(base.resolve("scripts"));
        script(base.resolve("scripts/dpdk"), "case $2 in --) echo it ran ;; --set-up) echo /the/root ;; "
                + "--others) echo no others, say some; echo 22.11; echo 25.11; echo 27.11 ;; esac");
    }

    private static Path script(Path file, String line) throws Exception {
        Files.writeString(file, "#!/bin/sh\n" + line + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    private ForeignLanes lanes(Path compiler, String turn) {
        return new ForeignLanes(new Clone(base, base.resolve("target"), "mvn", turn), compiler.toString());
    }

    private LaneResult dpdk(Path compiler) throws Exception {
        return lanes(compiler, "").dpdk("25.11");
    }

    @Test
    void releasesAreThoseThatTheScriptLists() throws Exception {
        assertThat(lanes(folder, "").dpdkReleases()).containsExactly("22.11", "25.11", "27.11");
        assertThat(lanes(folder, "7").dpdkReleases()).containsExactly("25.11");
        assertThat(lanes(folder, "8").dpdkReleases()).as("the last").containsExactly("27.11");
    }

    @Test
    void aProbeThatDoesNotCompileFailsItsLaneByName() throws Exception {
        LaneResult lane = dpdk(
                script(folder.resolve("cc"), "printf 'dpdk.c:6: error: no bsd/string.h\\n' >&2; exit 1"));
        assertThat(lane.status()).isEqualTo(LaneResult.Status.FAILED);
        assertThat(lane.counts()).isEqualTo(new Counts(0, 1, 0));
        assertThat(lane.detail())
                .startsWith("native/conformance/dpdk.c does not compile: dpdk.c:6: error: no bsd/string.h; output in ");
        assertThat(base.resolve("target/log/lane-dpdk-25.11.log")).content().doesNotContain("it ran");
    }

    @Test
    void withoutACompilerTheLaneIsSkippedByName() throws Exception {
        LaneResult lane = dpdk(folder.resolve("none"));
        assertThat(lane.status()).isEqualTo(LaneResult.Status.SKIPPED);
        assertThat(lane.detail()).isEqualTo("no C compiler to read its headers with: apt-get install gcc libc6-dev");
    }

    @Test
    void whereTheSetUpFailsTheLaneSaysWhatItSaid() throws Exception {
        script(base.resolve("scripts/dpdk"), "echo no apt here >&2; exit 1");
        LaneResult lane = dpdk(folder.resolve("none"));
        assertThat(lane.status()).isEqualTo(LaneResult.Status.SKIPPED);
        assertThat(lane.detail()).isEqualTo("no apt here");
    }

    private LaneResult bare(String suite, String does) throws Exception {
        return bare("", suite, does);
    }

    private LaneResult bare(String turn, String suite, String does) throws Exception {
        script(base.resolve("scripts/bare"),
                "case $1 in --check) exit 0 ;; --set-up) echo /the/root; exit 0 ;; esac; " + does);
        return new ForeignLanes(new Clone(base, base.resolve("target"), "mvn", turn), "cc").bare(suite);
    }

    @Test
    void whereThereAreTurnsHalfOfTheReadersPagesAreWalked() throws Exception {
        String says = "echo \"ok      root   $* 7 s\"";
        assertThat(bare("", "", says).lines().getFirst()).contains(".*(tutorial|policies|ci|packets)[.]md.*");
        assertThat(bare("18", "", says).lines().getFirst()).contains(".*(tutorial|policies)[.]md.*");
        assertThat(bare("7", "", says).lines().getFirst()).contains(".*(ci|packets)[.]md.*");
    }

    @Test
    void theStepsOnABareDebianAreTheLanesLines() throws Exception {
        LaneResult lane = bare("", "echo \"ok      root   $* 7 s\"; echo more; echo 'ok      visitor  run 8 s'");
        assertThat(lane.status()).isEqualTo(LaneResult.Status.RAN);
        assertThat(lane.detail()).isEqualTo("2 steps");
        assertThat(lane.lines()).hasSize(2).last().isEqualTo("    ok      visitor  run 8 s");
        assertThat(lane.lines().getFirst()).startsWith("    ok      root   --built --pages ").contains("tutorial");
    }

    @Test
    void aStepThatFailsOnABareDebianFailsTheLane() throws Exception {
        LaneResult lane = bare("bookworm", "echo \"failed  root   $* 7 s\"; exit 1");
        assertThat(lane.status()).isEqualTo(LaneResult.Status.FAILED);
        assertThat(lane.detail()).startsWith("exit status 1; output in ");
        assertThat(lane.lines()).containsExactly("    failed  root   bookworm 7 s");
        assertThat(bare("", "exit 0").status()).as("nothing was done").isEqualTo(LaneResult.Status.FAILED);
    }

    @Test
    void whereNoBareDebianCanBeMadeTheLaneSaysWhy() throws Exception {
        script(base.resolve("scripts/bare"), "echo 'needs root: debootstrap and chroot' >&2; exit 1");
        LaneResult lane = new ForeignLanes(new Clone(base, base.resolve("target"), "mvn", ""), "cc").bare("");
        assertThat(lane.status()).isEqualTo(LaneResult.Status.SKIPPED);
        assertThat(lane.detail()).isEqualTo("needs root: debootstrap and chroot");
    }

    @Test
    void testClassesAreFoundByTheirTag() throws Exception {
        Path tests = Files.createDirectories(base.resolve("src/test/java/a/b"));
        Files.writeString(tests.resolve("OneTest.java"), "@Tag(\"lab\")\nclass OneTest {}");
        Files.writeString(tests.resolve("TwoTest.java"), "@Tag(\"other\")\nclass TwoTest {}");
        assertThat(new Clone(base, base.resolve("target"), "mvn", "").classesTagged("lab", "dpdk"))
                .containsExactly("a.b.OneTest");
    }
}
