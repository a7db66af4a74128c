package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptIoctlTest {
    private static final long FIONREAD = 0x541b;

    @TempDir
    private Path folder;

    @Test
    void theStructIsFilledAgainAtEachCall() {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Libc.open(folder.resolve("f").toString(), Linux.O_RDWR | Linux.O_CREAT, 0600)) {
            KeptIoctl unread = new KeptIoctl(fd, "FIONREAD", FIONREAD, 4);
            assertThat(unread.argument().byteSize()).isEqualTo(4);
            assertThat(unread.call()).isZero();
            assertThat(unread.argument().get(ValueLayout.JAVA_INT, 0)).isZero();
            fd.pwrite(arena.allocateFrom("bascule"), 0);
            assertThat(unread.call()).isZero();
            assertThat(unread.argument().get(ValueLayout.JAVA_INT, 0)).isEqualTo(8);
        }
    }

    @Test
    void aRefusalNamesRequestObjectAndErrno() {
        try (Fd fd = Libc.memfd("kept", 0)) {
            KeptIoctl strange = new KeptIoctl(fd, "NO_SUCH_REQUEST", 0x3b99, 8);
            assertThatThrownBy(strange::call).isInstanceOfSatisfying(NativeException.class,
                    e -> assertThat(e.errno()).isEqualTo(Errno.ENOTTY)).hasMessageContaining("NO_SUCH_REQUEST")
                    .hasMessageContaining("memfd:kept");
        }
    }

    @Test
    void afterTheDescriptorIsClosedNothingIsCalled() {
        Fd fd = Libc.memfd("closed", 0);
        KeptIoctl kept = new KeptIoctl(fd, "FIONREAD", FIONREAD, 4);
        fd.close();
        assertThatThrownBy(kept::call).isInstanceOf(IllegalStateException.class).hasMessage("memfd:closed is closed");
    }
}
