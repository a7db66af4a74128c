package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HeldProcessTest {
    @Test
    void theNextProcessOfTheNumberIsAnother() throws Exception {
        Process first = new ProcessBuilder("sleep", "1000").start();
        try (HeldProcess held = Objects.requireNonNull(HeldProcess.open(first.pid()));
                ProcessMemory memory = new ProcessMemory(held)) {
            assertThat(held.isAlive()).isTrue();
            assertThat(KernelText.read(held.file("comm"))).isEqualTo("sleep\n");
            first.destroyForcibly().waitFor();
            assertThat(held.isAlive()).isFalse();
            Process other = SameNumber.start(first.pid());
            try {
                assertThat(held.isAlive() || held.isThere()).isFalse();
                assertThatThrownBy(() -> Files.readString(held.file("comm"))).isInstanceOf(java.io.IOException.class);
                assertThatThrownBy(() -> held.signal(9)).isInstanceOfSatisfying(NativeException.class,
                        e -> assertThat(e.errno()).isEqualTo(Errno.ESRCH));
                assertThat(memory.move(0)).isEqualTo(Errno.ESRCH);
                assertThat(memory.ask()).isEqualTo(Errno.ESRCH);
                assertThat(memory.advise(4096, 4096, Linux.MADV_COLD)).isNotZero();
                assertThatThrownBy(() -> held.take(0, "file")).isInstanceOf(NativeException.class);
                assertThat(other.isAlive()).isTrue();
            } finally {
                other.destroyForcibly();
            }
        }
    }

    @Test
    void whoHasEndedIsNobodyAndGroupsAreNone() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        assertThat(HeldProcess.open(ended.pid())).isNull();
        assertThat(HeldProcess.open(0)).isNull();
        assertThat(HeldProcess.open(-1)).isNull();
        assertThat(HeldProcess.open(1L << 32 | 1)).isNull();
    }
}
