package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reading the configuration flash through its register block [reference 3]. */
class FlashTest {
    private static final int BLOCK = 0x280;
    private static final byte[] CONTENT = { 0x12, 0x34, 0x56, 0x78, (byte) 0x9A };

    private static Rig rig(CorundumFlash.Kind kind) {
        return new Rig(Rig.small().flash(new CorundumFlash(kind, CONTENT)).build());
    }

    private static int exchange(Rig rig, int value) {
        int in = 0;
        for (int bit = 7; bit >= 0; bit--) {
            int data = value >> bit & 1;
            in = in << 1 | rig.r(BLOCK + 0x10) >> 1 & 1;
            rig.w(BLOCK + 0x10, data | 0x100);
            rig.w(BLOCK + 0x10, data | 0x100 | 1 << 16);
            rig.w(BLOCK + 0x10, data | 0x100);
        }
        return in;
    }

    private static int[] command(Rig rig, int answers, int... bytes) {
        rig.w(BLOCK + 0x10, 1 << 17);
        rig.w(BLOCK + 0x10, 0);
        for (int value : bytes) {
            exchange(rig, value);
        }
        int[] result = new int[answers];
        for (int i = 0; i < answers; i++) {
            result[i] = exchange(rig, 0);
        }
        rig.w(BLOCK + 0x10, 1 << 17);
        return result;
    }

    @Test
    void thereIsNoBlockWithoutAFlash() {
        Rig rig = new Rig();
        assertThat(rig.r(0x208)).isZero();
        assertThat(rig.r(BLOCK)).isZero();
    }

    @Test
    void serialFlashIsLinkedBehindTheClockInfo() {
        Rig rig = rig(CorundumFlash.Kind.SPI);
        assertThat(rig.r(0x208)).isEqualTo(BLOCK);
        assertThat(rig.r(BLOCK)).isEqualTo(0xC120);
        assertThat(rig.r(BLOCK + 4)).isEqualTo(0x200);
    }

    @Test
    void serialFlashIdentifiesItselfAndReads() {
        Rig rig = rig(CorundumFlash.Kind.SPI);
        assertThat(command(rig, 3, 0x9F)).as("64 KiB, the smallest").containsExactly(0x20, 0xBB, 0x10);
        assertThat(command(rig, 1, 0x05)).containsExactly(0);
        assertThat(command(rig, 5, 0x03, 0, 0, 1)).containsExactly(0x34, 0x56, 0x78, 0x9A, 0xFF);
        assertThat(command(rig, 2, 0x0B, 0, 0, 2, 0)).containsExactly(0x56, 0x78);
        assertThat(command(rig, 2, 0x13, 0, 0, 0, 0)).containsExactly(0x12, 0x34);
        assertThat(command(rig, 2, 0x0C, 0, 0, 0, 3, 0)).containsExactly(0x78, 0x9A);
    }

    @ParameterizedTest
    @CsvSource({ "65536, 0x10", "65537, 0x11", "16777216, 0x18", "33554433, 0x20" })
    void aSerialFlashIsAsLargeAsItsFile(int fileBytes, String capacity) {
        Rig rig = new Rig(
                Rig.small().flash(new CorundumFlash(CorundumFlash.Kind.SPI, new byte[fileBytes])).build());
        assertThat(command(rig, 3, 0x9F)).containsExactly(0x20, 0xBB, Integer.decode(capacity));
    }

    /** As the upstream firmware tool asks: all data bits out, none of them driven, and what comes back. */
    @Test
    void dataBitsThatNothingIsAttachedToReadZero() {
        Rig rig = rig(CorundumFlash.Kind.SPI);
        rig.w(BLOCK + 0x10, 0x2000F);
        assertThat(rig.r(BLOCK + 0x10)).isEqualTo(0x20003);
        rig.w(BLOCK + 0x14, 0x2000F);
        assertThat(rig.r(BLOCK + 0x14)).as("no second flash").isEqualTo(0x20000);
    }

    @Test
    void unknownCommandsAndFarAddressesReadErased() {
        Rig rig = rig(CorundumFlash.Kind.SPI);
        assertThat(command(rig, 2, 0xAB)).containsExactly(0xFF, 0xFF);
        assertThat(command(rig, 1, 0x13, 0xFF, 0xFF, 0xFF, 0xFF)).containsExactly(0xFF);
    }

    @Test
    void parallelFlashReadsWordsWhileSelected() {
        Rig rig = rig(CorundumFlash.Kind.BPI);
        assertThat(rig.r(BLOCK)).isEqualTo(0xC121);
        assertThat(rig.r(BLOCK + 0x18)).isEqualTo(0xF);
        rig.w(BLOCK + 0x10, 1);
        assertThat(rig.r(BLOCK + 0x14)).as("not selected").isZero();
        rig.w(BLOCK + 0x18, 0x4);
        assertThat(rig.r(BLOCK + 0x14)).isEqualTo(0x7856);
        rig.w(BLOCK + 0x10, 2);
        assertThat(rig.r(BLOCK + 0x14)).isEqualTo(0xFF9A);
        rig.w(BLOCK + 0x10, -1);
        assertThat(rig.r(BLOCK + 0x14)).isEqualTo(0xFFFF);
    }

    @Test
    void parallelFlashSaysWhatItIsWhenAsked() {
        Rig rig = rig(CorundumFlash.Kind.BPI);
        write(rig, 0x55, 0x98);
        int[] answers = { 0x10, 'Q', 0x11, 'R', 0x12, 'Y', 0x13, 1, 0x14, 0, 0x27, 16, 0x2C, 1, 0x2D, 0, 0x2E, 0, 0x2F,
                0,
                0x30, 1 };
        for (int i = 0; i < answers.length; i += 2) {
            assertThat(word(rig, answers[i])).as("0x%x", answers[i]).isEqualTo(answers[i + 1]);
        }
        for (int back : new int[] { 0xFF, 0xF0 }) {
            write(rig, 0x55, 0x98);
            write(rig, 0, back);
            assertThat(word(rig, 0)).isEqualTo(0x3412);
        }
        write(rig, 0, 0x40); // programming is not there
        assertThat(word(rig, 0)).isEqualTo(0x3412);
    }

    private static void write(Rig rig, int address, int data) {
        rig.w(BLOCK + 0x10, address);
        rig.w(BLOCK + 0x14, data);
        rig.w(BLOCK + 0x18, 0x10102);
        rig.w(BLOCK + 0x18, 0xE);
    }

    private static int word(Rig rig, int address) {
        rig.w(BLOCK + 0x10, address);
        rig.w(BLOCK + 0x18, 0x10004);
        int value = rig.r(BLOCK + 0x14);
        rig.w(BLOCK + 0x18, 0xE);
        return value;
    }
}
