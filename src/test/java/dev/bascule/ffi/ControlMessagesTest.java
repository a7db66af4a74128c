package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ControlMessagesTest {
    @Test
    void writtenNumbersAreReadBack() {
        try (Arena arena = Arena.ofConfined()) {
            for (int count = 0; count <= ControlMessages.MAX_DESCRIPTORS; count++) {
                int[] numbers = new Random(count).ints(count, 0, 1 << 20).toArray();
                MemorySegment control = arena.allocate(ControlMessages.space(count), 8);
                ControlMessages.write(control, numbers);
                assertThat(ControlMessages.read(control, control.byteSize())).isEqualTo(numbers);
            }
        }
    }

    @Test
    void severalMessagesAndForeignOnesAreWalked() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment control = arena.allocate(128, 8);
            ControlMessages.write(control, new int[] { 5 });
            control.set(ValueLayout.JAVA_LONG, 24, 28); // credentials: skipped
            control.set(ValueLayout.JAVA_INT, 32, 1);
            control.set(ValueLayout.JAVA_INT, 36, 2);
            ControlMessages.write(control.asSlice(56), new int[] { 6, 7 });
            assertThat(ControlMessages.read(control, 56 + 24)).containsExactly(5, 6, 7);
            assertThat(ControlMessages.read(control, 56)).containsExactly(5);
        }
    }

    @Test
    void hostileBytesNeverLeadOutside() {
        long seed = System.nanoTime();
        System.out.println("ControlMessagesTest seed " + seed);
        Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            for (int round = 0; round < 50_000; round++) {
                int size = random.nextInt(33) * 8;
                byte[] bytes = new byte[size];
                random.nextBytes(bytes);
                MemorySegment control = MemorySegment.ofArray(new long[size / 8 + 1]).asSlice(0, size);
                MemorySegment.copy(bytes, 0, control, ValueLayout.JAVA_BYTE, 0, size);
                for (int at = 0; at + 16 <= size && random.nextBoolean(); at += 8 * (1 + random.nextInt(4))) {
                    control.set(ValueLayout.JAVA_LONG, at, edgeLength(random)); // plausible headers between the noise
                    control.set(ValueLayout.JAVA_INT, at + 8, 1);
                    control.set(ValueLayout.JAVA_INT, at + 12, 1);
                }
                long claimed = random.nextInt(8) == 0 ? random.nextLong() : random.nextInt(size + 64);
                assertThat(ControlMessages.read(control, claimed)).hasSizeLessThanOrEqualTo(size / 4);
            }
        }
    }

    private static long edgeLength(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> Long.MAX_VALUE - random.nextInt(16);
            case 1 -> -random.nextInt(100);
            case 2 -> 15 + random.nextInt(3);
            default -> random.nextInt(300);
        };
    }
}
