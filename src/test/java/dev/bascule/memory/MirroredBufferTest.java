package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.Libc;
import dev.bascule.ffi.NativeException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MirroredBufferTest {
    private static final long SIZE = 16 * 1024;

    @Test
    void everyByteIsThereTwice() {
        try (MirroredBuffer ring = MirroredBuffer.create("ring", SIZE)) {
            MemorySegment both = ring.segment();
            assertThat(both.byteSize()).isEqualTo(2 * SIZE);
            byte[] noise = new byte[(int) SIZE];
            new Random(7).nextBytes(noise);
            MemorySegment.copy(noise, 0, both, ValueLayout.JAVA_BYTE, 0, noise.length);
            assertThat(both.asSlice(SIZE).mismatch(MemorySegment.ofArray(noise))).isEqualTo(-1);
            both.set(ValueLayout.JAVA_BYTE, SIZE + 77, (byte) ~noise[77]);
            assertThat(both.get(ValueLayout.JAVA_BYTE, 77)).isEqualTo((byte) ~noise[77]);
        }
    }

    @Test
    void recordsThatWrapAreContiguous() {
        long seed = System.nanoTime();
        System.out.println("MirroredBufferTest seed " + seed);
        Random random = new Random(seed);
        try (MirroredBuffer ring = MirroredBuffer.create("ring", SIZE)) {
            long position = SIZE - 100;
            for (int record = 0; record < 2_000; record++) {
                byte[] bytes = new byte[1 + random.nextInt((int) SIZE)];
                random.nextBytes(bytes);
                long at = ring.offset(position);
                MemorySegment.copy(bytes, 0, ring.segment(), ValueLayout.JAVA_BYTE, at, bytes.length);
                for (int i = 0; i < bytes.length; i += 1 + random.nextInt(500)) {
                    assertThat(ring.segment().get(ValueLayout.JAVA_BYTE, ring.offset(position + i)))
                            .isEqualTo(bytes[i]);
                }
                position += bytes.length;
            }
        }
    }

    @Test
    void useAfterCloseIsAnExceptionAndThePagesAreGone() {
        MirroredBuffer ring = MirroredBuffer.create("gone", SIZE);
        MemorySegment both = ring.segment();
        ring.close();
        ring.close();
        assertThatThrownBy(ring::segment).isInstanceOf(IllegalStateException.class).hasMessage("memfd:gone is closed");
        assertThatThrownBy(() -> both.get(ValueLayout.JAVA_BYTE, SIZE)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void manyRingsLeaveNoMappingBehind() throws Exception {
        long before = mappingsOf("manyrings");
        for (int i = 0; i < 200; i++) {
            MirroredBuffer.create("manyrings", 1 << 20).close();
        }
        assertThat(mappingsOf("manyrings")).isEqualTo(before).isZero();
    }

    @Test
    void sizesThatCannotWrapAreRefused() {
        for (long size : new long[] { 0, -1, 100, Libc.pageSizeBytes() - 1, 3L * Libc.pageSizeBytes() }) {
            assertThatThrownBy(() -> MirroredBuffer.create("x", size)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> MirroredBuffer.create("x", 1L << 62)).isInstanceOf(RuntimeException.class);
    }

    @Test
    void hugeRingIsThereOrNamesTheFailure() {
        if (Hugepages.free(Hugepages.SIZE_2M) >= 1) {
            try (MirroredBuffer ring = MirroredBuffer.createHuge("huge", Hugepages.SIZE_2M, Hugepages.SIZE_2M)) {
                ring.segment().set(ValueLayout.JAVA_LONG, Hugepages.SIZE_2M, 9);
                assertThat(ring.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(9);
            }
        } else {
            assertThatThrownBy(() -> MirroredBuffer.createHuge("huge", Hugepages.SIZE_2M, Hugepages.SIZE_2M))
                    .isInstanceOf(NativeException.class).hasMessageContaining("ENOMEM");
        }
    }

    @Test
    void sharedWithAnotherMappingOfItsFile() {
        try (MirroredBuffer ring = MirroredBuffer.create("ring", SIZE); Arena arena = Arena.ofConfined()) {
            MemorySegment peer = Libc.map(arena, SIZE, 1, 1, ring.fd(), 0, "peer");
            ring.segment().set(ValueLayout.JAVA_LONG, SIZE + 8, 1234);
            assertThat(peer.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(1234);
        }
    }

    private static long mappingsOf(String name) throws java.io.IOException {
        return java.nio.file.Files.readAllLines(java.nio.file.Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains(name)).count();
    }
}
