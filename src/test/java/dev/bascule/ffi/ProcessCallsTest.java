package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.Limits.Limit;
import dev.bascule.ffi.Limits.Resource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Affinity, limits, signals, sysconf, statfs. */
class ProcessCallsTest {
    @Test
    void pinnedThreadRunsOnItsCpuUntilReleased() throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                BitSet before = Affinity.current();
                int cpu = before.length() - 1;
                try (Affinity.Pinned pinned = Affinity.pin(cpu)) {
                    assertThat(pinned).isNotNull();
                    assertThat(Affinity.current().stream().toArray()).containsExactly(cpu);
                    assertThat(Affinity.cpu()).isEqualTo(cpu);
                    assertThat(Affinity.node()).isNotNegative();
                }
                assertThat(Affinity.current()).isEqualTo(before);
                done.complete(null);
            } catch (Throwable t) {
                done.completeExceptionally(t);
            }
        });
        done.get(30, TimeUnit.SECONDS);
        thread.join();
    }

    @Test
    void absentCpuIsNamedWithTheAllowedOnes() {
        assertThatThrownBy(() -> Affinity.pin(8000)).isInstanceOf(NativeException.class)
                .hasMessageContaining("sched_setaffinity CPUs {8000}: EINVAL")
                .hasMessageContaining("Allowed here are CPUs " + Affinity.current());
        assertThatThrownBy(() -> Affinity.pin(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Affinity.pin(1 << 20)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void limitsAgreeWithProc() throws Exception {
        Limit files = Limits.get(Resource.OPEN_FILES);
        String line = Files.readAllLines(Path.of("/proc/self/limits")).stream()
                .filter(l -> l.startsWith("Max open files")).findFirst().orElseThrow();
        assertThat(line.split(" +")[3]).isEqualTo(Long.toString(files.soft()));
        Limits.set(Resource.OPEN_FILES, files);
        assertThat(Limits.get(Resource.OPEN_FILES)).isEqualTo(files);
        assertThatThrownBy(() -> Limits.set(Resource.OPEN_FILES, new Limit(10, 5)))
                .hasMessageContaining("setrlimit OPEN_FILES: EINVAL");
    }

    @Test
    void limitsReadWell() {
        assertThat(new Limit(8 << 20, -1).softText()).isEqualTo("8192 KiB");
        assertThat(new Limit(Limits.UNLIMITED, -1).softText()).isEqualTo("unlimited");
        assertThat(new Limit(1000, -1).softText()).isEqualTo("1000 bytes");
    }

    @Test
    void signalsReachOneProcess() throws Exception {
        Process child = new ProcessBuilder("sleep", "300").start();
        try {
            Signals.send(child.pid(), Linux.SIGKILL);
            assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(child.exitValue()).isEqualTo(128 + Linux.SIGKILL);
        } finally {
            child.destroyForcibly();
        }
        assertThatThrownBy(() -> Signals.send(child.pid(), 0)).hasMessageContaining("ESRCH");
    }

    @Test
    void sysconfAndThreadIdAgreeWithJava() {
        assertThat(Libc.pageSizeBytes()).isPositive().matches(size -> Integer.bitCount(size) == 1);
        assertThat(Libc.sysconf(84)).as("_SC_NPROCESSORS_ONLN")
                .isGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(Path.of("/proc/self/task/" + Libc.threadId())).exists();
    }

    @Test
    void fileSystemsAreTold() {
        FileSystemStatus shm = Libc.fileSystem("/dev/shm");
        assertThat(shm.magic()).isEqualTo(Linux.TMPFS_MAGIC);
        assertThat(shm.availableBytes()).isBetween(0L, shm.totalBytes());
        assertThatThrownBy(() -> Libc.fileSystem("/no/such")).hasMessageContaining("statfs /no/such: ENOENT");
    }

    @Test
    void numaCallsWorkOrAreRefusedByName() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pages = Libc.map(arena, 1 << 16, Linux.PROT_READ | Linux.PROT_WRITE,
                    Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, null, 0, "pages");
            pages.fill((byte) 1);
            try {
                NumaPolicy.bind(pages, 0);
                assertThat(NumaPolicy.nodeOf(pages)).isZero();
                NumaPolicy.prefer(0);
                NumaPolicy.prefer(-1);
            } catch (NativeException e) { // no NUMA in the kernel, or a sandbox
                assertThat(e.errnoName()).isIn("ENOSYS", "EPERM");
            }
            assertThatThrownBy(() -> NumaPolicy.bind(pages, 900)).isInstanceOf(NativeException.class)
                    .hasMessageContaining("to node 900");
            assertThatThrownBy(() -> NumaPolicy.bind(pages, 1 << 20)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> NumaPolicy.bind(MemorySegment.ofArray(new byte[9]), 0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
