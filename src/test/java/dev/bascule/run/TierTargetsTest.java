package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.SameNumber;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TierTargetsTest {
    @TempDir
    private Path group = Path.of("");

    @Test
    void theProcessesOfACgroupComeAndGo() throws Exception {
        int own = (int) ProcessHandle.current().pid();
        Path members = group.resolve(TierTargets.MEMBERS);
        TierTargets targets = new TierTargets(List.of(), List.of(group));
        assertThat(targets.get()).as("a group that is gone").isEmpty();
        Files.writeString(members, own + "\n");
        assertThat(targets.get()).containsExactly(own);
        Files.writeString(members, "");
        assertThat(targets.get()).isEmpty();
    }

    @Test
    void aNumberThatIsAnothersByNowIsNotManaged() throws Exception {
        Process named = new ProcessBuilder("sleep", "1000").start();
        try (TierTargets targets = new TierTargets(List.of((int) named.pid()), List.of())) {
            assertThat(targets.get()).containsExactly((int) named.pid());
            named.destroyForcibly().waitFor();
            Process other = SameNumber.start(named.pid());
            try {
                assertThat(targets.get()).isEmpty();
            } finally {
                other.destroyForcibly();
            }
        }
    }

    @Test
    void aProgramsChildrenBelongToItAndWhoHasEndedDoesNot() throws Exception {
        Process shell = new ProcessBuilder("sh", "-c", "sleep 60 & wait").start();
        TierTargets targets = new TierTargets(List.of(), List.of());
        try {
            targets.program(shell);
            long deadline = System.nanoTime() + 30_000_000_000L;
            while (targets.get().size() < 2) {
                assertThat(System.nanoTime()).as("shell and sleep, seen " + targets.get()).isLessThan(deadline);
                Thread.sleep(5);
            }
            assertThat(targets.get()).contains((int) shell.pid());
        } finally {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly();
        }
        shell.waitFor();
        assertThat(targets.get()).doesNotContain((int) shell.pid());
    }
}
