package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import dev.bascule.run.Errors;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Linux 6.12, which has sched_ext with functions of other names. */
@Tag("lab")
class OldKernelLabTest {
    @Test
    void itsSchedExtIsRefusedByName() throws Exception {
        Lab.require();
        assertThat(Files.readString(Lab.PROC.resolve("sys/kernel/osrelease"))).startsWith("6.12.");
        Path state = Lab.SYSFS.resolve("kernel/sched_ext/state");
        assertThat(state).content().isEqualToIgnoringNewLines("disabled");
        Cli command = Cli.callOne("kernel", "--policy", "fifo", "--", "true");
        assertThat(command.status()).as(command.err()).isEqualTo(Errors.FAILED);
        assertThat(command.err()).contains("Linux 6.12.").contains("boot a kernel of 6.13 or newer");
        assertThat(state).content().isEqualToIgnoringNewLines("disabled");
    }
}
