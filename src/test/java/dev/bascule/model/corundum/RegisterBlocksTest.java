package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists of register blocks, layout, unmapped offsets, port control [reference 2 to 4]. */
class RegisterBlocksTest {
    /** Types (and version) of a list of blocks from {@code start}, following "next" from {@code base}. */
    private static List<String> list(Rig rig, int base, int start) {
        List<String> found = new ArrayList<>();
        int at = start;
        do {
            found.add("%X/%X@%X".formatted(rig.r(base + at), rig.r(base + at + 4), at));
            at = rig.r(base + at + 8);
            assertThat(found).as("a looping list").hasSizeLessThan(100);
        } while (at != 0);
        return found;
    }

    @Test
    void deviceBlocksAreThoseOfTheShippedLayout() {
        assertThat(list(new Rig(), 0, 0)).containsExactly("FFFFFFFF/100@0", "C007/100@40", "C000/100@50", "0/0@70",
                "C006/100@80", "C080/200@100", "C008/100@200");
    }

    @Test
    void interfaceBlocksOfOneInterface() {
        assertThat(list(new Rig(), 0, 0x80000)).containsExactly("C001/400@80000", "C010/400@80040", "C020/400@80060",
                "C030/400@80080", "C031/400@800A0", "C090/200@80100", "C002/200@81000", "C002/200@82000",
                "C004/300@83000", "C004/300@84000");
        assertThat(list(new Rig(), 0, 0x81010)).containsExactly("C003/300@81010");
        assertThat(list(new Rig(), 0, 0x83010)).containsExactly("C040/200@83010");
    }

    @Test
    void windowsOfOneInterfaceLieWhereTheRtlHasThem() {
        Rig rig = new Rig();
        assertThat(rig.r(0x64)).isEqualTo(0x1000000);
        assertThat(rig.r(0x68)).isEqualTo(0x80000);
        assertThat(List.of(rig.r(0x8004C), rig.r(0x8006C), rig.r(0x8008C), rig.r(0x800AC), rig.r(0x80110)))
                .containsExactly(0x180000, 0x200000, 0x400000, 0x600000, 0x100000);
        assertThat(List.of(rig.r(0x8301C), rig.r(0x8401C))).containsExactly(0x800000, 0xA00000);
    }

    @Test
    void windowsOfTwoInterfacesLieWhereTheDriverFoundThem() {
        Rig rig = new Rig(Rig.small().interfaces(2).ports(1).schedulers(1).build());
        assertThat(rig.r(0x60)).isEqualTo(2);
        assertThat(rig.r(0x64)).isEqualTo(0x800000);
        assertThat(rig.r(0x68)).isEqualTo(0x40000);
        for (int base : new int[] { 0, 0x800000 }) {
            assertThat(list(rig, base, 0x40000)).startsWith("C001/400@40000", "C010/400@40040").endsWith(
                    "C002/200@41000",
                    "C004/300@42000");
            assertThat(List.of(rig.r(base + 0x4004C), rig.r(base + 0x4006C), rig.r(base + 0x4008C),
                    rig.r(base + 0x400AC), rig.r(base + 0x40110), rig.r(base + 0x4201C)))
                    .containsExactly(0xC0000, 0x100000, 0x200000, 0x300000, 0x80000, 0x400000);
        }
    }

    @Test
    void everyInterfaceShowsTheDeviceBlocksAtItsStart() {
        Rig rig = new Rig(Rig.small().interfaces(4).build());
        rig.w(0x4C, 77);
        for (int i = 0; i < 4; i++) {
            assertThat(list(rig, i << 22, 0)).hasSize(7).startsWith("FFFFFFFF/100@0");
            assertThat(rig.r((i << 22) + 0x4C)).isEqualTo(77);
        }
    }

    @Test
    void queueStateOfInterfacesIsTheirOwn() {
        Rig rig = new Rig(Rig.small().interfaces(2).ports(1).schedulers(1).build());
        rig.w(0x200008, 0x80020003);
        assertThat(rig.r(0x20000C)).isEqualTo(0x03000000);
        assertThat(rig.r(0xA0000C)).isZero();
    }

    @Test
    void statisticsMoveBehindTheMsixTable() {
        assertThat(new Rig().r(0x8C)).isEqualTo(0x10000);
        Rig rig = new Rig(CorundumConfig.builder().build());
        assertThat(rig.r(0x8C)).isEqualTo(0x20000);
        assertThat(rig.r(0x90)).isEqualTo(4096);
        assertThat(rig.r(0x94)).isEqualTo(8);
    }

    @Test
    void withoutStatisticsAFillerTakesTheirPlace() {
        Rig rig = new Rig(Rig.small().statistics(false).build());
        assertThat(list(rig, 0, 0)).contains("0/0@80").hasSize(7);
        assertThat(rig.r(0x10100)).isZero();
    }

    @Test
    void periodicOutputsFollowTheClock() {
        Rig rig = new Rig(Rig.small().periodicOutputs(2).build());
        assertThat(list(rig, 0, 0)).containsSubsequence("C080/200@100", "C081/100@180", "C081/100@1C0", "C008/100@200");
        rig.w(0x190, 5);
        rig.w(0x18C, 1);
        assertThat(rig.r(0x190)).isEqualTo(5);
        assertThat(rig.r(0x18C)).as("enabled, no period").isEqualTo(1);
        rig.w(0x1A4, 1000);
        assertThat(rig.r(0x18C)).as("enabled, locked").isEqualTo(0x10001);
    }

    @Test
    void tdmaBlocksFollowTheScheduler() {
        Rig may = new Rig(Rig.small().tdma(true).build());
        assertThat(list(may, 0, 0x83010)).containsExactly("C040/200@83010", "C060/200@83080", "C050/100@83100");
        Rig december = new Rig(Rig.small().tdma(true).profile(CorundumProfile.DECEMBER_2023).build());
        assertThat(list(december, 0, 0x84010)).containsExactly("C040/100@84010", "C060/100@84080", "C050/100@84100");
        december.w(0x840AC, 0x12345678);
        assertThat(december.r(0x840AC)).isEqualTo(0x12345678);
        december.w16(0x840AE, 0xABCD);
        assertThat(december.r(0x840AC)).isEqualTo(0xABCD5678);
        assertThat(december.r(0x8411C)).as("time slots").isEqualTo(1);
    }

    @Test
    void allFeaturesOnRead1F11() {
        assertThat(new Rig().r(0x8000C)).isEqualTo(0x1F11);
    }

    @Test
    void periodNumeratorsOfTheClockInfoAreNotZero() {
        Rig rig = new Rig();
        assertThat(rig.r(0x210)).isEqualTo(0x00200005);
        assertThat(rig.r(0x218)).isEqualTo(0x00040001);
        assertThat(rig.r(0x21C) & 0xFF).as("core frequency in steps of 256 Hz").isZero();
    }

    @ParameterizedTest
    @CsvSource({ "0x2C", "0x300", "0x1000", "0x8000", "0x80038", "0x80FFC", "0x81050", "0x85000", "0xD0630", "0xF26E4",
            "0x11000", "0x17FF8", "0xC00000", "0xFFFFFC" })
    void unmappedOffsetsReadZeroAndSwallowWrites(String offset) {
        Rig rig = new Rig();
        long at = Long.decode(offset);
        rig.w(at, -1);
        assertThat(rig.r(at)).isZero();
    }

    @Test
    void portControlReadsAsTheRtlDoes() {
        Rig rig = new Rig();
        for (int at : new int[] { Rig.PORT0 + 0x10, Rig.PORT0 + 0x14, Rig.PORT1 + 0x10 }) {
            assertThat(rig.r(at)).as("reset, link up").isEqualTo(0x03010000);
            rig.w(at, -1);
            assertThat(rig.r(at)).as("enabled and paused").isEqualTo(0x03010101);
            rig.w(at, 1);
            assertThat(rig.r(at)).as("enabled: the pause bits clear").isEqualTo(0x00010001);
            rig.w(at, 0x100);
            assertThat(rig.r(at)).isEqualTo(0x03010100);
        }
        rig.device.setLinkUp(0, false);
        assertThat(rig.r(Rig.PORT0 + 0x10)).as("link is independent").isEqualTo(0x03000100);
        assertThat(rig.r(Rig.PORT1 + 0x14)).isEqualTo(0x03010000);
    }

    @ParameterizedTest
    @CsvSource({ "0x4C, 0x0000FFFF, 0xA", "0x80028, 0x0000FFFF, 0x23FE", "0x8002C, 0x0000FFFF, 0x23FE",
            "0x80114, 0x1F, 0", "0x80118, 0x8000001F, 0", "0x81028, 0x03FF03FF, 0x00200020",
            "0x8102C, 0x0303FFFF, 0x00010000", "0x81030, 0x03000000, 0", "0x8104C, 0x03000000, 0",
            "0x83034, 0x0001001F, 0x00010000", "0x84034, 0x0001001F, 0x00010010", "0x83038, 0x00FF03FF, 0x00FF0090",
            "0x8303C, 0x0003FFFF, 0x90" })
    void registersStoreAsManyBitsAsTheRtl(String offset, String allOnes, String reset) {
        Rig rig = new Rig();
        long at = Long.decode(offset);
        assertThat(rig.r(at)).as("reset").isEqualTo(Long.decode(reset).intValue());
        rig.w(at, -1);
        assertThat(rig.r(at)).as("all ones").isEqualTo(Long.decode(allOnes).intValue());
        rig.device.reset();
        assertThat(rig.r(at)).as("after reset").isEqualTo(Long.decode(reset).intValue());
    }

    @Test
    void mostRegistersIgnoreByteLanes() {
        Rig rig = new Rig();
        rig.w8(0x4D, 0x2B);
        assertThat(rig.r(0x4C)).isEqualTo(0x2B00);
        rig.w16(0x4E, 0x9DAF);
        assertThat(rig.r(0x4C)).isZero();
        rig.w8(Rig.TABLE + 5, 0xF5);
        assertThat(rig.r(Rig.TABLE + 4)).isEqualTo(0xF500);
    }

    @Test
    void aConfigurationThatDoesNotFitIsRefusedByName() {
        assertThatThrownBy(() -> CorundumConfig.builder().interfaces(3).build())
                .hasMessageContaining("interfaces is 3");
        assertThatThrownBy(() -> CorundumConfig.builder().schedulers(9).build())
                .hasMessageContaining("schedulers is 9");
        assertThatThrownBy(() -> CorundumConfig.builder().rxQueues(48).build()).hasMessageContaining("power of two");
        assertThatThrownBy(() -> CorundumConfig.builder().txFifoBytes(4096).build()).hasMessageContaining("FIFO");
    }

    @Test
    void aDesignWhoseWindowsWouldLieOnTopOfEachOtherIsRefused() {
        assertThatThrownBy(() -> CorundumConfig.builder().interfaces(8).build())
                .hasMessageContaining("8 interfaces of 2 schedulers leave 64 KiB").hasMessageContaining("MSI-X");
        assertThatThrownBy(() -> CorundumConfig.builder().interfaces(4).build()).hasMessageContaining("no statistics");
        assertThat(CorundumConfig.builder().interfaces(4).statistics(false).build().allPorts()).isEqualTo(8);
        assertThat(CorundumConfig.builder().interfaces(2).build().allPorts()).isEqualTo(4);
        assertThatThrownBy(() -> CorundumConfig.builder().interfaces(8).ports(8).schedulers(8).msix(false)
                .statistics(false).build()).hasMessageContaining("leave 32 KiB");
    }

    @Test
    void moreThanFourSchedulersMoveTheWindowsCloserTogether() {
        Rig rig = new Rig(CorundumConfig.builder().ports(8).schedulers(8).build());
        int csr = rig.r(0x50 + 0x18);
        assertThat(csr).isEqualTo(0x40000);
        assertThat(rig.r(csr + 0x14)).as("schedulers").isEqualTo(8);
        assertThat(rig.r(csr + 0x40 + 0xC)).as("event queues").isEqualTo(0xC0000);
        assertThat(rig.r(csr + 0x60 + 0xC)).as("completion queues").isEqualTo(0x100000);
        assertThat(rig.r(csr + 0x9000 + 0x10 + 0xC)).as("words of the first scheduler").isEqualTo(0x400000);
        int eighth = csr + 0x10000;
        assertThat(rig.r(eighth)).isEqualTo(0xC004);
        assertThat(rig.r(eighth + 0x10 + 0xC)).as("words of the eighth").isEqualTo(0xB00000);
        rig.w(0xB00000 + 4 * 3, 0x40000101);
        assertThat(rig.r(0xB00000 + 4 * 3) & 0x40).isEqualTo(0x40);
    }

    @Test
    void theLargestDesignFits() {
        Rig rig = new Rig(CorundumConfig.builder().interfaces(1).ports(8).schedulers(4).eventQueues(64)
                .completionQueues(16384).txQueues(8192).rxQueues(256).build());
        assertThat(list(rig, 0, 0x80000)).hasSize(6 + 8 + 4);
        int last = 0x400000 + 8191 * 32;
        rig.w(last + 8, 0xC0003FFF);
        assertThat(rig.r(last + 12)).isEqualTo(0x3FFF);
    }
}
