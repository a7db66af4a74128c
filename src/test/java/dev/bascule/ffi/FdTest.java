package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FdTest {
    private static final long FIONREAD = 0x541b;

    @TempDir
    private Path folder;

    @Test
    void writesAndReadsBackAtPositions() {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Libc.open(folder.resolve("f").toString(), Linux.O_RDWR | Linux.O_CREAT, 0600)) {
            MemorySegment text = arena.allocateFrom("bascule");
            assertThat(fd.write(text)).isEqualTo(8);
            assertThat(fd.pwrite(arena.allocateFrom("B"), 0)).isEqualTo(2);
            MemorySegment back = arena.allocate(16);
            assertThat(fd.pread(back, 0)).isEqualTo(8);
            assertThat(back.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 'B');
            assertThat(back.getString(2)).isEqualTo("scule");
            assertThat(fd.read(back)).as("position is at the end").isZero();
            assertThat(fd.status().sizeBytes()).isEqualTo(8);
            assertThat(fd.status().isRegular()).isTrue();
            fd.truncate(3);
            assertThat(fd.status().sizeBytes()).isEqualTo(3);
        }
    }

    @Test
    void useAfterCloseIsAnExceptionOnEveryCall() {
        Fd fd = Libc.memfd("closed", 0);
        fd.close();
        fd.close();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(8);
            assertThat(fd.isOpen()).isFalse();
            assertThatThrownBy(fd::number).isInstanceOf(IllegalStateException.class)
                    .hasMessage("memfd:closed is closed");
            assertThatThrownBy(() -> fd.read(buffer)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> fd.pwrite(buffer, 0)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> fd.ioctl("FIONREAD", FIONREAD, buffer)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(fd::status).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> Libc.map(arena, 4096, Linux.PROT_READ, Linux.MAP_SHARED, fd, 0, "x"))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void closeDuringACallTakesEffectAfterIt() {
        Fd fd = Libc.memfd("busy", 0);
        int number = fd.enter();
        fd.close();
        assertThat(Files.exists(Path.of("/proc/self/fd/" + number))).as("still open for the call").isTrue();
        assertThatThrownBy(fd::enter).isInstanceOf(IllegalStateException.class);
        fd.exit();
        assertThat(linkOf(number)).as("closed when the call is over").doesNotContain("busy");
    }

    @Test
    void ioctlGivesResultsThroughMemoryAndErrorsByName() {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Libc.open("/proc/self/status", Linux.O_RDONLY);
                Fd file = Libc.memfd("ioctl", 0)) {
            MemorySegment count = arena.allocate(4, 4);
            assertThat(file.write(arena.allocate(100))).isEqualTo(100);
            file.pwrite(arena.allocate(1), 0);
            assertThatThrownBy(() -> fd.ioctl("VFIO_GET_API_VERSION", 0x3b64, 0))
                    .isInstanceOf(NativeException.class)
                    .hasMessageContaining("VFIO_GET_API_VERSION /proc/self/status: ENOTTY (25)");
            assertThat(file.ioctl("FIONREAD", FIONREAD, count)).isZero();
            assertThat(count.get(ValueLayout.JAVA_INT, 0)).as("position at the end").isZero();
        }
    }

    @Test
    void hostileArgumentsAreExceptions() {
        assertThatThrownBy(() -> Libc.open("/tmp/a\0b", 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Libc.open("x".repeat(100_000), 0)).hasMessageContaining("ENAMETOOLONG");
        assertThatThrownBy(() -> Libc.memfd("n".repeat(300), 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Libc.memfd("n", -1 & ~Linux.MFD_HUGETLB)).isInstanceOf(NativeException.class);
        assertThatThrownBy(() -> Fd.adopt(-1, "x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Signals.send(0, Linux.SIGTERM)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Signals.send(-1, Linux.SIGKILL)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Libc.sysconf(98765)).hasMessageContaining("EINVAL");
        assertThatThrownBy(() -> Libc.lock(MemorySegment.ofArray(new byte[8])))
                .isInstanceOf(IllegalArgumentException.class);
        try (Arena arena = Arena.ofConfined(); Fd fd = Libc.memfd("hostile", 0)) {
            assertThatThrownBy(() -> Libc.map(arena, Long.MAX_VALUE, 3, Linux.MAP_SHARED, fd, 0, "all"))
                    .hasMessageContaining("mmap all: ENOMEM");
            assertThatThrownBy(() -> Libc.map(arena, 4096, 3, Linux.MAP_SHARED, fd, 17, "odd"))
                    .hasMessageContaining("EINVAL");
            assertThatThrownBy(() -> Libc.map(arena, 0, 3, Linux.MAP_SHARED, fd, 0, "empty"))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Libc.map(arena, 4096, 3, Linux.MAP_SHARED | 0x10, fd, 0, "fixed"))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> fd.truncate(-1)).hasMessageContaining("ftruncate memfd:hostile: EINVAL");
            assertThatThrownBy(() -> fd.read(MemorySegment.ofArray(new byte[8])))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void segmentOfAClosedArenaIsAnExceptionBeforeTheCall() {
        MemorySegment gone;
        try (Arena arena = Arena.ofConfined()) {
            gone = arena.allocate(8);
        }
        try (Fd fd = Libc.memfd("gone", 0)) {
            assertThatThrownBy(() -> fd.write(gone)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> fd.ioctl("FIONREAD", FIONREAD, gone)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void mappingIntoAClosedArenaLeaksNothing() {
        Arena arena = Arena.ofShared();
        arena.close();
        int before = mappings();
        assertThatThrownBy(
                () -> Libc.map(arena, 1 << 20, Linux.PROT_READ, Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, null, 0, "m"))
                .isInstanceOf(IllegalStateException.class);
        assertThat(mappings()).isLessThanOrEqualTo(before + 1);
    }

    @Test
    void errnoBelongsToItsThread() throws Exception {
        assertThatThrownBy(() -> Libc.open("/nonexistent", 0)).isInstanceOf(NativeException.class);
        CompletableFuture.runAsync(
                () -> assertThatThrownBy(() -> Libc.open("/proc/self", Linux.O_RDWR)).hasMessageContaining("EISDIR"))
                .get(30, TimeUnit.SECONDS);
        assertThat(NativeCall.errno()).isEqualTo(Errno.ENOENT);
    }

    private static int mappings() {
        try {
            return Files.readAllLines(Path.of("/proc/self/maps")).size();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String linkOf(int number) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + number)).toString();
        } catch (java.io.IOException e) {
            return "closed";
        }
    }
}
