package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.ffi.Libc;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.DmaBuffer.Locking;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DmaBufferTest {
    @TempDir
    private Path folder;

    @Test
    void smallBufferIsZeroedOnOrdinaryPages() {
        try (DmaBuffer buffer = DmaBuffer.allocate("small", 100, Locking.PREFERRED)) {
            assertThat(buffer.pageSizeBytes()).isEqualTo(Libc.pageSizeBytes());
            assertThat(buffer.sizeBytes()).isEqualTo(Libc.pageSizeBytes());
            assertThat(buffer.reason()).startsWith("too small for hugepages");
            assertThat(buffer.segment().mismatch(MemorySegment.ofArray(new byte[(int) buffer.sizeBytes()])))
                    .isEqualTo(-1);
            buffer.segment().set(ValueLayout.JAVA_LONG, 0, 5);
        }
    }

    @Test
    void largeBufferSaysWhichPagesItGotAndWhy() {
        long length = (2 << 20) + 1;
        try (DmaBuffer buffer = DmaBuffer.allocate("large", length, Locking.PREFERRED)) {
            assertThat(buffer.sizeBytes()).isGreaterThanOrEqualTo(length).matches(n -> n % buffer.pageSizeBytes() == 0);
            if (buffer.pageSizeBytes() == Hugepages.SIZE_2M) {
                assertThat(buffer.isLocked()).isTrue();
                assertThat(buffer.reason()).isEmpty();
            } else {
                assertThat(buffer.reason()).contains("hugepages of 2048 KiB");
            }
            buffer.segment().set(ValueLayout.JAVA_BYTE, length, (byte) 1);
        }
    }

    @Test
    void hugeBufferIsThereOrNamesTheCommand() {
        long free = Hugepages.free(Hugepages.SIZE_2M);
        if (free >= 2) {
            try (DmaBuffer buffer = DmaBuffer.allocateHuge("huge", 3 << 20, Hugepages.SIZE_2M)) {
                assertThat(buffer.sizeBytes()).isEqualTo(4 << 20);
                assertThat(Hugepages.free(Hugepages.SIZE_2M)).isLessThan(free);
            }
        } else {
            assertThatThrownBy(() -> DmaBuffer.allocateHuge("huge", 3 << 20, Hugepages.SIZE_2M))
                    .isInstanceOf(NativeException.class)
                    .hasMessageContaining("mmap MAP_HUGETLB 2 hugepages of 2048 KiB: ENOMEM")
                    .hasMessageContaining("echo 2 > /proc/sys/vm/nr_hugepages");
        }
    }

    @Test
    void addressIsAssignedOnceAndKeepsTheBufferOpen() {
        DmaBuffer buffer = DmaBuffer.allocate("mapped", 4096, Locking.PREFERRED);
        assertThat(buffer.iova()).isEmpty();
        buffer.assignIova(0x10000);
        assertThat(buffer.iova()).hasValue(0x10000);
        assertThatThrownBy(() -> buffer.assignIova(0x20000)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("iova 0x10000 already");
        assertThatThrownBy(buffer::close).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("still mapped");
        buffer.clearIova();
        buffer.close();
        buffer.close();
        assertThatThrownBy(() -> buffer.assignIova(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void useAfterCloseIsAnException() {
        DmaBuffer buffer = DmaBuffer.allocate("gone", 4096, Locking.PREFERRED);
        MemorySegment segment = buffer.segment();
        buffer.close();
        assertThatThrownBy(buffer::segment).isInstanceOf(IllegalStateException.class)
                .hasMessage("memfd:gone is closed");
        assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> buffer.fileDescriptor()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void senselessRequestsAreRefused() {
        for (long length : new long[] { 0, -1, Long.MIN_VALUE, Long.MAX_VALUE }) {
            assertThatThrownBy(() -> DmaBuffer.allocate("x", length, Locking.PREFERRED))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> DmaBuffer.allocateHuge("x", 1, 12345)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> DmaBuffer.allocateHuge("x", 1L << 44, Hugepages.SIZE_2M))
                .isInstanceOf(NativeException.class);
    }

    @Test
    void refusedLockNamesLimitAndCommand() throws Exception {
        Child child = Child.without("ipc_lock", LockingChild.class, "REQUIRED");
        assumeTrue(child != null, "root without setpriv cannot drop CAP_IPC_LOCK: sudo apt-get install util-linux");
        assertThat(child.output()).contains("mlock 1024 KiB of child with a limit of 64 KiB: ENOMEM (12)")
                .contains("ulimit -l").contains("/etc/security/limits.conf");
        assertThat(child.status()).isEqualTo(3);
    }

    @Test
    void refusedLockIsAnnouncedWherePreferred() throws Exception {
        Child child = Child.without("ipc_lock", LockingChild.class, "PREFERRED");
        assumeTrue(child != null, "root without setpriv cannot drop CAP_IPC_LOCK: sudo apt-get install util-linux");
        assertThat(child.status()).as(child.output()).isZero();
        assertThat(child.output()).contains("locked=false").contains("not locked: mlock 1024 KiB of child");
    }

    @Test
    void freePagesAreReadFromSysfs() throws Exception {
        Path size = Files.createDirectories(folder.resolve("hugepages-2048kB"));
        Files.writeString(size.resolve("free_hugepages"), "12\n");
        Files.writeString(size.resolve("resv_hugepages"), "5\n");
        assertThat(Hugepages.free(folder, Hugepages.SIZE_2M)).isEqualTo(7);
        assertThat(Hugepages.free(folder, Hugepages.SIZE_1G)).isEqualTo(-1);
        Files.writeString(size.resolve("free_hugepages"), "many");
        assertThat(Hugepages.free(folder, Hugepages.SIZE_2M)).isEqualTo(-1);
    }

    @Test
    void hugetlbfsIsFoundByItsPageSizeOnly() throws Exception {
        Path mounts = folder.resolve("mounts");
        Files.writeString(mounts, "proc /proc proc rw 0 0\nnone /dev/shm hugetlbfs rw 0 0\nbroken\n");
        assertThat(Hugepages.mount(mounts, Libc.pageSizeBytes())).contains(Path.of("/dev/shm"));
        assertThat(Hugepages.mount(mounts, Hugepages.SIZE_1G)).isEmpty();
        assertThat(Hugepages.mount(folder.resolve("missing"), Hugepages.SIZE_2M)).isEmpty();
    }
}
