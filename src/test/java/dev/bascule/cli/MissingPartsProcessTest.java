package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.run.Errors;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands of somebody without privileges, from a copy of the program without its native parts. */
@Tag("process")
@Timeout(300)
class MissingPartsProcessTest {
    @TempDir
    private static Path folder = Path.of("");

    @SuppressWarnings("NullAway.Init")
    private static OrdinaryUser user;

    @BeforeAll
    static void becomeSomebody() throws Exception {
        user = OrdinaryUser.in(folder).without("rocksdbjni");
    }

    /** Commands that need a native part, a part of the kernel, or a privilege, alone or with others. */
    @ParameterizedTest
    @ValueSource(strings = { "run --quick", "kernel -- true", "kernel --pid 1", "kernel --whole-machine",
            "tier --source damon -- true", "tier --source page-idle -- true", "tier --to pageout -- true",
            "tier --pid 1 --duration 1s", "dpdk --vdev net_null0", "run --link rdma --quick",
            "bind 0000:00:00.0", "unbind 0000:00:00.0", "probe 0000:00:00.0", "vfs 0000:00:00.0 1" })
    void oneLineSaysWhatIsMissing(String words) throws Exception {
        Cli ended = user.run(words.split(" "));
        assertThat(ended.err()).as(ended.out()).doesNotContain("bug in Bascule").doesNotContain("\tat ");
        assertThat(ended.status()).as(ended.err()).isIn(0, Errors.FAILED, Errors.USAGE);
        if (ended.status() != 0) {
            assertThat(ended.err()).contains("bascule: ");
        }
    }

    @Test
    void aLibraryThatIsNotThereIsNamedWithItsCure() throws Exception {
        Path config = Files.copy(Path.of("hw-configs/loopback.yaml"), folder.resolve("loopback.yaml"));
        Cli ended = user.run("run", "--quick", "--report", "none", "--config", config.toString());
        assertThat(ended.status()).as(ended.err()).isEqualTo(Errors.FAILED);
        assertThat(ended.err()).contains("rocksdbjni", "scripts/run");
    }
}
