package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client may map: as much as was offered, without using up the mappings of this process. */
class ClientMapsTest {
    private static final int PAGE = 4096;
    private static final long BASE = 1L << 32;
    private static final int BOTH = 3;

    private final ClientMemory memory = new ClientMemory(() -> true, () -> {});

    @AfterEach
    void unmap() {
        memory.unmapAll();
    }

    @Test
    void everyOtherPageOfOneFileTakesOneMappingOfTheProcess() throws Exception {
        int most = MapBudget.OFFERED;
        try (Fd file = Libc.memfd("maps", 0)) {
            file.truncate(2L * most * PAGE);
            long before = processMappings();
            for (long i = most - 1; i >= 0; i--) { // downwards: where a sorted array moves all at each step
                memory.map(BASE + 2 * i * PAGE, PAGE, BOTH, file, 2 * i * PAGE);
            }
            assertThat(memory.mappingCount()).isEqualTo(most);
            assertThat(processMappings() - before).as("mappings of the process").isLessThan(1000);
            assertRefused(Errno.ENOSPC, () -> memory.map(BASE + PAGE, PAGE, BOTH, file, PAGE));
            MemorySegment local = Arena.ofAuto().allocate(PAGE);
            for (int i = 0; i < most; i += 997) {
                local.set(ValueLayout.JAVA_INT, 0, i);
                assertThat(memory.write(BASE + 2L * i * PAGE, local, 0, 4)).isTrue();
                assertThat(file.pread(local, 2L * i * PAGE)).isEqualTo(PAGE);
                assertThat(local.get(ValueLayout.JAVA_INT, 0)).isEqualTo(i);
            }
            memory.unmap(BASE, 2L * most * PAGE);
            assertThat(memory.mappingCount()).isZero();
        }
    }

    @Test
    void eachFileIsOneMappingAndTheBudgetComesBack() throws Exception {
        List<Fd> files = new ArrayList<>();
        try {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 200; i++) {
                    Fd file = Libc.memfd("one-of-many", 0);
                    files.add(file);
                    file.truncate(PAGE);
                    memory.map(BASE + 2L * i * PAGE, PAGE, BOTH, file, 0);
                }
                memory.unmapAll();
                files.forEach(Fd::close);
                files.clear();
            }
            int left = 0;
            while (MapBudget.take()) {
                left++;
            }
            try (Fd file = Libc.memfd("no-room", 0)) {
                file.truncate(PAGE);
                assertRefused(Errno.ENOSPC, () -> memory.map(BASE, PAGE, BOTH, file, 0));
            } finally {
                for (int i = 0; i < left; i++) {
                    MapBudget.give();
                }
            }
            assertThat(left).isEqualTo(MapBudget.OFFERED);
        } finally {
            files.forEach(Fd::close);
        }
    }

    @Test
    void aFileThatGrowsIsMappedToItsNewEnd() throws Exception {
        try (Fd file = Libc.memfd("grows", 0)) {
            MemorySegment local = Arena.ofAuto().allocate(PAGE);
            for (int i = 0; i < 5; i++) {
                file.truncate((i + 1L) * PAGE);
                memory.map(BASE + (long) i * PAGE, PAGE, BOTH, file, (long) i * PAGE);
            }
            assertThat(memory.write(BASE + PAGE - 8, local, 0, PAGE)).as("across mappings").isTrue();
            memory.unmap(BASE, PAGE);
            assertThat(memory.write(BASE, local, 0, 8)).isFalse();
            assertThat(memory.write(BASE + PAGE, local, 0, 8)).isTrue();
            assertRefused(Errno.EINVAL, () -> memory.map(BASE, PAGE, BOTH, file, 5 * PAGE));
        }
    }

    @Test
    void onlyMemoryFilesAreMapped() throws Exception {
        try (Fd zero = Libc.open("/dev/zero", 2)) {
            assertRefused(Errno.EINVAL, () -> memory.map(BASE, PAGE, BOTH, zero, 0));
        }
    }

    @Test
    void aFileLargerThanAnyMemoryIsMappedByRanges() throws Exception {
        try (Fd file = Libc.memfd("vast", 0)) {
            file.truncate(1L << 60);
            memory.map(BASE, PAGE, BOTH, file, 1L << 59);
            assertThat(memory.write(BASE, Arena.ofAuto().allocate(PAGE), 0, PAGE)).isTrue();
        }
    }

    @Test
    void mapsOfAnyOrderAreFoundAgain() throws Exception {
        long seed = 14;
        Random random = new Random(seed);
        boolean[] mapped = new boolean[512];
        MemorySegment local = Arena.ofAuto().allocate(PAGE);
        try (Fd file = Libc.memfd("any-order", 0)) {
            file.truncate((long) mapped.length * PAGE);
            for (int step = 0; step < 20_000; step++) {
                int page = random.nextInt(mapped.length);
                long iova = BASE + (long) page * PAGE;
                if (mapped[page]) {
                    memory.unmap(iova, PAGE);
                } else {
                    memory.map(iova, PAGE, BOTH, file, (long) page * PAGE);
                }
                mapped[page] ^= true;
                int probe = random.nextInt(mapped.length - 1);
                assertThat(memory.read(BASE + (long) probe * PAGE + PAGE / 2, local, 0, PAGE))
                        .as("seed %d step %d pages %d and the next", seed, step, probe)
                        .isEqualTo(mapped[probe] && mapped[probe + 1]);
            }
        }
    }

    private static void assertRefused(int errno, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(Refusal.class,
                refusal -> assertThat(Errno.name(refusal.errno())).isEqualTo(Errno.name(errno)));
    }

    private static long processMappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.count();
        }
    }
}
