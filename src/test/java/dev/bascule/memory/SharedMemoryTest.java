package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedMemoryTest {
    private static final long SIZE = 64 * 1024;

    @TempDir
    private Path folder;

    @Test
    void twoMappingsOfANamedFileSeeEachOther() {
        Path path = folder.resolve("nic.mem");
        try (SharedMemory mine = SharedMemory.create(path, SIZE); SharedMemory theirs = SharedMemory.open(path, SIZE)) {
            assertThat(mine.segment().byteSize()).isEqualTo(SIZE);
            mine.segment().set(ValueLayout.JAVA_LONG, SIZE - 8, 42);
            assertThat(theirs.segment().get(ValueLayout.JAVA_LONG, SIZE - 8)).isEqualTo(42);
            theirs.unlink();
            assertThat(path).doesNotExist();
            theirs.segment().set(ValueLayout.JAVA_LONG, 0, 7);
            assertThat(mine.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(7);
        }
    }

    @Test
    void newMemoryIsZeroAndPrivateToTheUser() throws Exception {
        Path path = folder.resolve("m");
        try (SharedMemory memory = SharedMemory.create(path, SIZE)) {
            assertThat(memory.segment().mismatch(MemorySegment.ofArray(new byte[(int) SIZE]))).isEqualTo(-1);
            assertThat(Files.getPosixFilePermissions(path)).hasSize(2);
        }
    }

    @Test
    void memfdIsSealedAgainstAnotherSize() {
        try (SharedMemory memory = SharedMemory.create("sealed", SIZE)) {
            assertThatThrownBy(() -> memory.fd().truncate(0)).isInstanceOf(NativeException.class)
                    .hasMessageContaining("EPERM");
            assertThatThrownBy(() -> memory.fd().truncate(2 * SIZE)).hasMessageContaining("EPERM");
            memory.unlink();
        }
    }

    @Test
    void useAfterCloseIsAnException() {
        SharedMemory memory = SharedMemory.create("closed", SIZE);
        MemorySegment segment = memory.segment();
        DirectWindow window = new DirectWindow(segment);
        memory.close();
        memory.close();
        assertThatThrownBy(memory::segment).isInstanceOf(IllegalStateException.class)
                .hasMessage("memfd:closed is closed");
        assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> window.loadAcquire(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> window.storeRelease(0, 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void existingFileIsNotTakenOver() {
        Path path = folder.resolve("m");
        SharedMemory.create(path, SIZE).close();
        assertThatThrownBy(() -> SharedMemory.create(path, SIZE)).hasMessageContaining("EEXIST");
    }

    @Test
    void wrongSizeIsRefusedWithBothSizes() {
        Path path = folder.resolve("m");
        SharedMemory.create(path, 4096).close();
        assertThatThrownBy(() -> SharedMemory.open(path, SIZE)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 4096 bytes, expected 65536");
    }

    @Test
    void anythingButARegularFileIsRefused() throws Exception {
        assertThatThrownBy(() -> SharedMemory.open(Path.of("/dev/zero"), SIZE))
                .hasMessageContaining("/dev/zero is a character device, not a memory file");
        Path fifo = folder.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        assertThatThrownBy(() -> SharedMemory.open(fifo, SIZE)).hasMessageContaining("is a FIFO");
        Path target = folder.resolve("target");
        SharedMemory.create(target, SIZE).close();
        Path link = Files.createSymbolicLink(folder.resolve("link"), target);
        assertThatThrownBy(() -> SharedMemory.open(link, SIZE)).hasMessageContaining("ELOOP");
        assertThatThrownBy(() -> SharedMemory.open(folder.resolve("missing"), SIZE)).hasMessageContaining("ENOENT");
        assertThatThrownBy(() -> SharedMemory.open(folder, SIZE)).hasMessageContaining("EISDIR");
    }

    @Test
    void adoptedDescriptorMustBeASealedMemfdOfTheSize() {
        try (SharedMemory memory = SharedMemory.create("sent", SIZE)) {
            Fd copy = Libc.open("/proc/self/fd/" + memory.fileDescriptor(), Linux.O_RDWR);
            try (SharedMemory received = SharedMemory.adopt(copy.number(), SIZE)) {
                memory.segment().set(ValueLayout.JAVA_INT, 4, 99);
                assertThat(received.segment().get(ValueLayout.JAVA_INT, 4)).isEqualTo(99);
            }
        }
        Fd unsealed = Libc.memfd("unsealed", Linux.MFD_ALLOW_SEALING);
        unsealed.truncate(SIZE);
        assertThatThrownBy(() -> SharedMemory.adopt(unsealed.number(), SIZE)).hasMessageContaining("F_SEAL_SHRINK");
        assertThat(Path.of("/proc/self/fd", "" + unsealed.number())).as("closed").doesNotExist();
        Fd file = Libc.open(folder.resolve("f").toString(), Linux.O_RDWR | Linux.O_CREAT, 0600);
        file.truncate(SIZE);
        assertThatThrownBy(() -> SharedMemory.adopt(file.number(), SIZE)).hasMessageContaining("not sealed");
        assertThat(Path.of("/proc/self/fd", "" + file.number())).as("closed").doesNotExist();
    }

    @Test
    void truncationByAPeerIsAnErrorThatIsRecognised() throws Exception {
        Path path = folder.resolve("m");
        try (SharedMemory memory = SharedMemory.create(path, SIZE)) {
            try (RandomAccessFile peer = new RandomAccessFile(path.toFile(), "rw")) {
                peer.setLength(0);
            }
            Throwable seen = catchThrowable(() -> touchAll(memory.segment()));
            assertThat(seen).isInstanceOf(InternalError.class);
            assertThat(SharedMemory.isTruncation(seen)).isTrue();
        }
        assertThat(SharedMemory.isTruncation(new InternalError("other"))).isFalse();
        assertThat(SharedMemory.isTruncation(new IllegalStateException())).isFalse();
    }

    @Test
    void senselessSizesAreRefused() {
        assertThatThrownBy(() -> SharedMemory.create("x", 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SharedMemory.create("x", -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SharedMemory.create("x", Long.MAX_VALUE)).isInstanceOf(NativeException.class);
    }

    /** Reads until the JVM has delivered the fault, which may come one access late. */
    private static long touchAll(MemorySegment segment) {
        long sum = 0;
        for (long offset = 0; offset < segment.byteSize(); offset += 4096) {
            sum += segment.get(ValueLayout.JAVA_LONG, offset);
        }
        return sum;
    }

    /**
     * What is closed and waits for the collector is bounded: a process may have 65,530 mappings, threads' stacks among
     * them.
     */
    @Test
    void mappingsThatNobodyUsesAreCollectedInTime() throws Exception {
        for (int i = 0; i < 9_000; i++) {
            try (SharedMemory memory = SharedMemory.create("uncollected", 4_096)) {
                assertThat(memory.pinned().sizeBytes()).isEqualTo(4_096);
            }
        }
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            assertThat(lines.filter(line -> line.contains("memfd:uncollected")).count()).isLessThan(5_000);
        }
    }
}
