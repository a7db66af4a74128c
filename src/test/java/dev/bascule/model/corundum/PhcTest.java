package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.config.ModelTiming;
import dev.bascule.model.parts.PhcClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The PTP hardware clock [reference 8, 17]. */
class PhcTest {
    private static final int STATUS = Rig.PHC + 0x0C;
    private static final long COMMAND = PhcClock.COMMAND_NANOS;

    private final Rig rig = new Rig();

    private void stopClock() {
        rig.w(Rig.PHC + 0x78, 0);
        rig.w(Rig.PHC + 0x7C, 0);
        rig.nanos += COMMAND;
    }

    private void setDay(int nanos, int low, int high) {
        rig.w(Rig.PHC + 0x54, nanos);
        rig.w(Rig.PHC + 0x58, low);
        rig.w(Rig.PHC + 0x5C, high);
        rig.nanos += COMMAND;
    }

    private List<Integer> day() {
        return List.of(rig.r(Rig.PHC + 0x14), rig.r(Rig.PHC + 0x18), rig.r(Rig.PHC + 0x1C));
    }

    @Test
    void theResetPeriodIsTheNominalOne() {
        assertThat(List.of(rig.r(Rig.PHC + 0x70), rig.r(Rig.PHC + 0x74), rig.r(Rig.PHC + 0x78), rig.r(Rig.PHC + 0x7C)))
                .containsExactly(0x66666666, 6, 0x66666666, 6);
        rig.w(Rig.PHC + 0x70, 1);
        rig.w(Rig.PHC + 0x74, 1);
        assertThat(rig.r(Rig.PHC + 0x74)).as("read-only").isEqualTo(6);
    }

    @Test
    void atTheNominalPeriodItKeepsTime() {
        rig.nanos = 5_250_000_000L;
        assertThat(rig.r(Rig.PHC + 0x18)).isEqualTo(5);
        assertThat(rig.r(Rig.PHC + 0x14)).isBetween(249_999_990, 250_000_000);
        assertThat(rig.r(Rig.PHC + 0x20)).as("relative, low half").isBetween((int) 5_249_999_990L,
                (int) 5_250_000_000L);
        assertThat(rig.r(Rig.PHC + 0x24)).isEqualTo(1);
    }

    @Test
    void theSecondsHalfReadsBackBits47To16() {
        setDay(0, 0x33445566, 0x1122);
        assertThat(rig.r(Rig.PHC + 0x58)).isEqualTo(0x33445566);
        assertThat(rig.r(Rig.PHC + 0x5C)).isEqualTo(0x11223344);
        rig.w(Rig.PHC + 0x60, 0x2D2B8000);
        rig.w(Rig.PHC + 0x64, 0x9D4EA394);
        assertThat(rig.r(Rig.PHC + 0x64)).isEqualTo(0xA3942D2B);
        assertThat(rig.r(Rig.PHC + 0x24)).isEqualTo(0xA394);
    }

    @Test
    void onlyTheLastWordCommits() {
        stopClock();
        setDay(1000, 7, 0);
        rig.w(Rig.PHC + 0x54, 2000);
        rig.w(Rig.PHC + 0x58, 8);
        assertThat(day()).containsExactly(1000, 7, 0);
        rig.w(Rig.PHC + 0x5C, 1);
        assertThat(day()).containsExactly(2000, 8, 1);
    }

    @Test
    void settingOneTimeLeavesTheOther() {
        stopClock();
        rig.w(Rig.PHC + 0x60, 0x12345678);
        rig.w(Rig.PHC + 0x64, 0x9ABC);
        setDay(5, 6, 0);
        assertThat(List.of(rig.r(Rig.PHC + 0x20), rig.r(Rig.PHC + 0x24))).containsExactly(0x12345678, 0x9ABC);
        assertThat(day()).containsExactly(5, 6, 0);
    }

    @ParameterizedTest
    @CsvSource({ "0x00100000, 1048576, 0x00100000", "0xFFF00000, -1048576, 0x3FF00000",
            "0x20000000, -536870912, 0x20000000",
            "0x1FFF0000, 536805376, 0x1FFF0000", "0x54000000, 335544320, 0x14000000" })
    void theOffsetOfTheDayHas30SignedBits(String written, int delta, String readBack) {
        stopClock();
        setDay(600_000_000, 100, 0);
        rig.w(Rig.PHC + 0x50, Long.decode(written).intValue());
        long total = 100_600_000_000L + delta;
        assertThat(day()).containsExactly((int) (total % 1_000_000_000), (int) (total / 1_000_000_000), 0);
        assertThat(rig.r(Rig.PHC + 0x50)).isEqualTo(Long.decode(readBack).intValue());
    }

    @Test
    void secondsRollOverAt32Bits() {
        stopClock();
        setDay(999_900_000, 0xFFFFFFFF, 0);
        rig.w(Rig.PHC + 0x50, 200_000);
        assertThat(day()).containsExactly(100_000, 0, 1);
        rig.nanos += COMMAND;
        rig.w(Rig.PHC + 0x50, -200_000);
        assertThat(day()).containsExactly(999_900_000, 0xFFFFFFFF, 0);
    }

    @Test
    void theRelativeOffsetHas32SignedBits() {
        stopClock();
        rig.w(Rig.PHC + 0x60, 0x10);
        rig.w(Rig.PHC + 0x64, 1);
        rig.w(Rig.PHC + 0x68, 0x80000000);
        assertThat(List.of(rig.r(Rig.PHC + 0x20), rig.r(Rig.PHC + 0x24))).containsExactly(0x80000010, 0);
        assertThat(rig.r(Rig.PHC + 0x68)).isEqualTo(0x80000000);
    }

    @Test
    void theSnapshotIsTakenByReadingItsFraction() {
        stopClock();
        setDay(1111, 22, 0);
        rig.r(Rig.PHC + 0x30);
        setDay(3333, 44, 5);
        assertThat(List.of(rig.r(Rig.PHC + 0x34), rig.r(Rig.PHC + 0x38), rig.r(Rig.PHC + 0x3C))).containsExactly(1111,
                22, 0);
        rig.r(Rig.PHC + 0x30);
        assertThat(List.of(rig.r(Rig.PHC + 0x34), rig.r(Rig.PHC + 0x38), rig.r(Rig.PHC + 0x3C))).containsExactly(3333,
                44, 5);
    }

    @Test
    void fractionsCarrySixteenBitsInTheUpperHalf() {
        rig.nanos = 1001;
        assertThat(rig.r(Rig.PHC + 0x10) & 0xFFFF).isZero();
        assertThat(rig.r(Rig.PHC + 0x30) & 0xFFFF).isZero();
    }

    @Test
    void aCommandWhileItsPendingBitIsSetIsIgnored() {
        stopClock();
        rig.w(Rig.PHC + 0x54, 10);
        rig.w(Rig.PHC + 0x58, 20);
        rig.w(Rig.PHC + 0x5C, 0);
        assertThat(rig.r(STATUS) >>> 24).as("set pending").isEqualTo(1);
        rig.w(Rig.PHC + 0x58, 30);
        rig.w(Rig.PHC + 0x5C, 0);
        assertThat(day()).containsExactly(10, 20, 0);
        rig.nanos += COMMAND;
        assertThat(rig.r(STATUS) >>> 24).isZero();
        rig.w(Rig.PHC + 0x5C, 0);
        assertThat(day()).containsExactly(10, 30, 0);
    }

    @ParameterizedTest
    @CsvSource({ "0x5C, 1", "0x50, 2", "0x64, 4", "0x68, 8", "0x7C, 16", "0x6C, 32" })
    void everyKindHasItsOwnPendingBit(String offset, int bit) {
        rig.w(Rig.PHC + Integer.decode(offset), 0);
        assertThat(rig.r(STATUS) >>> 24).isEqualTo(bit);
    }

    @Test
    void thePeriodStoresEightBitsOfNanoseconds() {
        rig.w(Rig.PHC + 0x78, 0x4922573F);
        assertThat(rig.r(Rig.PHC + 0x7C)).as("not committed").isEqualTo(6);
        rig.w(Rig.PHC + 0x7C, 0x2F437AE9);
        assertThat(rig.r(Rig.PHC + 0x7C)).isEqualTo(0xE9);
        assertThat(rig.r(Rig.PHC + 0x78)).isEqualTo(0x4922573F);
    }

    @Test
    void anotherPeriodRunsFasterOrSlower() {
        rig.w(Rig.PHC + 0x78, 0);
        rig.w(Rig.PHC + 0x7C, 12);
        rig.nanos += 6_400_000_000L;
        assertThat(rig.r(Rig.PHC + 0x18)).isEqualTo(12);
    }

    @Test
    void theFractionOffsetCarriesIntoBothTimes() {
        stopClock();
        setDay(100, 0, 0);
        rig.w(Rig.PHC + 0x60, 200);
        rig.w(Rig.PHC + 0x64, 0);
        rig.w(Rig.PHC + 0x6C, -1);
        assertThat(day().get(0)).isEqualTo(99);
        assertThat(rig.r(Rig.PHC + 0x20)).isEqualTo(199);
        rig.nanos += COMMAND;
        rig.w(Rig.PHC + 0x6C, 1);
        assertThat(day().get(0)).isEqualTo(100);
    }

    @Test
    void anImmenseStepOfTimeIsAddedExactly() {
        rig.nanos = 1L << 60;
        assertThat(((long) rig.r(Rig.PHC + 0x18) & 0xFFFFFFFFL))
                .isCloseTo((1L << 60) / 1_000_000_000L, within(1L));
        rig.nanos = 0;
        rig.r(Rig.PHC + 0x18); // backwards: ignored
        assertThat(rig.r(Rig.PHC + 0x14)).isBetween(0, 999_999_999);
    }

    /** How long after the pending bit has cleared each of 1,000 sets can be read, ns. */
    private static List<Long> lags(Rig rtl) {
        List<Long> lags = new ArrayList<>();
        for (int i = 1; i <= 1000; i++) {
            rtl.w(Rig.PHC + 0x54, 0);
            rtl.w(Rig.PHC + 0x58, 1000 * i);
            rtl.w(Rig.PHC + 0x5C, 0);
            long begun = rtl.nanos;
            while ((rtl.r(STATUS) & 1 << 24) != 0) {
                rtl.nanos += 4;
            }
            long cleared = rtl.nanos;
            while (rtl.r(Rig.PHC + 0x18) != 1000 * i) {
                rtl.nanos += 4;
            }
            assertThat(rtl.r(Rig.PHC + 0x14)).as("it has run on since the set")
                    .isCloseTo((int) (rtl.nanos - begun), within(16));
            lags.add(rtl.nanos - cleared);
        }
        return lags;
    }

    /** Pending clears, the time read is the former for 5.2 us in the median and up to 25 us [reference 18]. */
    @Test
    void withTheTimingOfTheRtlASetIsReadLater() {
        List<Long> lags = lags(new Rig(Rig.small().timing(ModelTiming.RTL).build()));
        List<Long> sorted = lags.stream().sorted().toList();
        assertThat(sorted.get(500)).isBetween(4_000L, 7_000L);
        assertThat(sorted.getLast()).isBetween(20_000L, 25_000L);
        assertThat(lags(new Rig(Rig.small().timing(ModelTiming.RTL).build()))).as("by a seed").isEqualTo(lags);
        assertThat(lags(new Rig())).as("at once otherwise").containsOnly(0L);
    }

    @Test
    void withTheTimingOfTheRtlAMoveIsReadLaterAndNothingIsLost() {
        Rig rtl = new Rig(Rig.small().timing(ModelTiming.RTL).build());
        for (int i = 0; i < 4; i++) { // the second is given before the first can be read
            rtl.w(Rig.PHC + 0x50, 100_000_000);
            rtl.nanos += COMMAND;
            assertThat(rtl.r(Rig.PHC + 0x14)).isLessThan(100_000);
        }
        rtl.nanos += 25_000;
        assertThat(rtl.r(Rig.PHC + 0x14)).isBetween(400_000_000, 400_100_000);
    }
}
