package dev.bascule.device;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** That all bytes arrive and no other changes; in which order is for the stress tests of the drivers' rings. */
class DmaStoreTest {
    private static final int BYTES = 160;

    private final byte[] content = new byte[BYTES];

    DmaStoreTest() {
        for (int i = 0; i < BYTES; i++) {
            content[i] = (byte) (i + 1);
        }
    }

    @Test
    void everyLengthAtEveryAlignmentIsCopiedAndNothingElse() {
        MemorySegment device = MemorySegment.ofArray(content);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment nativeHost = arena.allocate(BYTES, 64);
            MemorySegment heapHost = MemorySegment.ofArray(new byte[BYTES]);
            for (int length = 0; length <= 72; length++) {
                for (int from = 0; from < 9; from++) {
                    for (int to = 0; to < 9; to++) {
                        check(device, from, nativeHost, to, length);
                        check(device, from, heapHost, to, length);
                    }
                }
            }
        }
    }

    private void check(MemorySegment device, int from, MemorySegment host, int to, int length) {
        host.fill((byte) -1);
        DmaStore.copy(device, from, host, to, length);
        byte[] expected = new byte[BYTES];
        Arrays.fill(expected, (byte) -1);
        System.arraycopy(content, from, expected, to, length);
        long wrong = host.mismatch(MemorySegment.ofArray(expected));
        if (wrong >= 0) { // an assertion for each would take seconds
            fail("%d bytes from %d to %d: byte %d is wrong".formatted(length, from, to, wrong));
        }
    }

    @Test
    void rangesOutsideAreRefused() {
        MemorySegment device = MemorySegment.ofArray(content);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(64, 64);
            for (int length : new int[] { 2, 4, 8, 32, 64, 65 }) {
                assertThatThrownBy(() -> DmaStore.copy(device, 0, host, 72 - length / 8 * 8, length))
                        .as("%d bytes", length).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> DmaStore.copy(device, BYTES, host, 0, Math.min(length, 64)))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }
}
