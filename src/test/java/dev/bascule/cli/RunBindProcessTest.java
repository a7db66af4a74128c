package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.run.Cores;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code run --bind}: emulated CPUs that are cores of this machine. */
@Tag("process")
class RunBindProcessTest {
    @Test
    void itTakesACoreForEachCpuAndPins() {
        Cli unpinned = Cli.call("run", "--bind", "--no-pin");
        assertThat(unpinned.status()).isNotZero();
        assertThat(unpinned.err()).contains("--bind").contains("leave --no-pin out");
        Cli many = Cli.call("run", "--bind", "--cpus", "4096");
        assertThat(many.status()).isNotZero();
        assertThat(many.err()).contains("4096 emulated CPUs").contains("--cpus N");
    }

    @Test
    void aRunSaysWhichCoresItIsOnAndWhatTheyShare() throws Exception {
        Assumptions.assumeTrue(Cores.count() > 1, "one core");
        Cli run = Cli.run(Cli.ONE_CARRIER, "run", "--quick", "--bind", "--cpus", "1", "--workload",
                "spin", "--transport", "on-host", "--in-process", "--load", "0.2", "--duration", "500ms", "--capacity",
                "500", "--report", "none", "--fallback-limit", "1", "--patient");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.err()).containsPattern("on-host: CPUs \\[\\d+\\], 1 of a core, 1 socket");
    }
}
