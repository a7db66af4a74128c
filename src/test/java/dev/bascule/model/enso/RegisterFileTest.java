package dev.bascule.model.enso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.nic.enso.EnsoRegisters;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RegisterFileTest {
    private final List<String> events = new ArrayList<>();
    private final RegisterFile file = new RegisterFile(new RegisterFile.Events() {
        @Override
        public void pipeHeadWritten(int pipe) {
            events.add("head " + pipe);
        }

        @Override
        public void txTailWritten(int ring) {
            events.add("tail " + ring);
        }
    });

    @Test
    void everyRegisterOfEveryKindOfPageKeepsThirtyTwoBits() {
        long notification = EnsoRegisters.notificationPage(1023);
        long pipe = EnsoRegisters.pipePage(8191);
        for (int lane = 0; lane < 8; lane++) {
            file.write(notification + 4L * lane, 4, 0xFFFF_FF00L + lane);
            file.write(pipe + 4L * lane, 4, 0xFFFF_FF80L + lane);
        }
        for (int lane = 0; lane < 16; lane++) {
            assertThat(file.read(notification + 4L * lane, 4)).isEqualTo(lane < 8 ? 0xFFFF_FF00L + lane : 0);
            assertThat(file.read(pipe + 4L * lane, 4)).isEqualTo(lane < 4 ? 0xFFFF_FF80L + lane : 0);
        }
        assertThat(file.read(EnsoRegisters.pipePage(0), 8)).isZero();
    }

    @Test
    void partlyCoveredLanesAreIgnoredAndCauseNoEvent() {
        for (int offset = 0; offset < 16; offset++) {
            file.write(offset, 1, 0xFF);
            file.write(offset, 2, 0xFFFF);
            if (offset % 4 != 0) {
                file.write(offset, 4, 0xFFFF_FFFFL);
            }
        }
        assertThat(file.read(0, 8)).isZero();
        assertThat(file.read(8, 8)).isZero();
        assertThat(events).isEmpty();
    }

    @Test
    void aWideStoreWritesTheLanesItCoversInFull() {
        file.write(4, 8, 0x4200_0000_0000_0005L);
        assertThat(file.read(4, 4)).isEqualTo(5);
        assertThat(file.read(8, 4)).isEqualTo(0x4200_0000L);
        file.write(2, 8, 0x0102_0304_0506_0708L);
        assertThat(file.read(0, 4)).isZero();
        assertThat(file.read(4, 4)).isEqualTo(0x0304_0506L);
        assertThat(file.read(8, 4)).isEqualTo(0x4200_0000L);
        assertThat(events).containsExactly("head 0", "head 0");
    }

    @Test
    void headAndTailEventsComeOncePerStoreAfterAllItsLanes() {
        long page = EnsoRegisters.notificationPage(3);
        file.write(page + EnsoRegisters.TX_TAIL, 8, 0x0000_0009_0000_0007L);
        assertThat(events).containsExactly("tail 3");
        assertThat(file.txRings.tail[3]).isEqualTo(7);
        assertThat(file.txRings.head[3]).isEqualTo(9);
        file.write(page + EnsoRegisters.RX_HEAD, 4, 1);
        assertThat(events).hasSize(1);
    }

    @Test
    void pagesAliasEverySixtyFourBytes() {
        file.write(EnsoRegisters.pipePage(77) + 0xF44, 4, 9);
        assertThat(file.read(EnsoRegisters.pipePage(77) + 4, 4)).isEqualTo(9);
        assertThat(file.read(EnsoRegisters.pipePage(77) + 0x84, 4)).isEqualTo(9);
        assertThat(events).containsExactly("head 77");
    }

    @Test
    void aStoreAcrossALineIsTwoStores() {
        file.write(EnsoRegisters.pipePage(5) - 4, 8, 0x1234_5678_0000_0000L);
        assertThat(file.read(EnsoRegisters.pipePage(5), 4)).isEqualTo(0x1234_5678L);
        file.write(60, 8, 0x0000_0042_0000_0000L);
        assertThat(file.read(0, 4)).isEqualTo(0x42);
    }

    @Test
    void loadsPickBytesOfTheLine() {
        file.write(0, 8, 0x8877_6655_4433_2211L);
        assertThat(file.read(0, 1)).isEqualTo(0x11);
        assertThat(file.read(3, 2)).isEqualTo(0x5544);
        assertThat(file.read(1, 4)).isEqualTo(0x5544_3322L);
        assertThat(file.read(0, 8)).isEqualTo(0x8877_6655_4433_2211L);
    }

    @Test
    void beyondTheLastPageLoadsGetNoAnswerAndStoresAlias() {
        assertThat(file.read(EnsoRegisters.USED_BYTES, 4)).isEqualTo(0xFFFF_FFFFL);
        file.write(EnsoRegisters.USED_BYTES, 4, 6);
        assertThat(file.read(EnsoRegisters.notificationPage(0), 4)).isEqualTo(6);
        file.write((16384L << 12) + EnsoRegisters.RX_HEAD, 4, 8);
        assertThat(file.read(EnsoRegisters.RX_HEAD, 4)).isEqualTo(8);
        assertThat(events).containsExactly("head 0");
    }

    @Test
    void anyAccessIsHarmless() {
        Random random = new Random(42);
        for (int i = 0; i < 200_000; i++) {
            long offset = random.nextBoolean() ? random.nextLong() : random.nextInt(1 << 26);
            int width = 1 + random.nextInt(8);
            file.write(offset, width, random.nextLong());
            long value = file.read(offset, width);
            assertThat(width == 8 ? 0 : value >>> (8 * width)).isZero();
        }
    }
}
