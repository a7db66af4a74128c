package dev.bascule.study.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The count: what must be in it by the interfaces' rules, and that the papers' figures come out of it. */
class EnsoReproductionTest {
    private static EnsoReproduction result;

    @BeforeAll
    static void run() {
        result = EnsoReproduction.run(PcieLink.GEN3_X16, 8, false, what -> {});
    }

    private static PcieCount row(String name, int batch) {
        return result.sweep().stream().filter(r -> r.name().equals(name) && r.batch() == batch).findFirst()
                .orElseThrow().count();
    }

    @Test
    void aReactiveHostIsToldOncePerBatchAndReportedOnce() {
        for (int batch : new int[] { 1, 8, 64, 512 }) {
            PcieCount count = row("Ensō, reactive", batch);
            assertThat(count.packets()).isEqualTo(8L * batch);
            assertThat(count.notificationsPerPacket()).isCloseTo(2.0 / batch, within(1e-9));
            assertThat(count.storesPerPacket()).isCloseTo(2.0 / batch, within(1e-9));
            assertThat(count.loadsPerPacket()).isZero();
            // data in per packet; notification, completion, entry and data out per batch
            assertThat(count.dmaPerPacket()).isCloseTo(1 + 4.0 / batch, within(1e-9));
            assertThat(count.metadataBytesPerPacket()).isCloseTo((3 * 64 + 2 * 4) / (double) batch, within(1e-9));
        }
    }

    @Test
    void prefetchDoublesNotificationsAndPerPacketHasOneEach() {
        assertThat(row("Ensō, prefetch", 64).notificationsPerPacket()).isCloseTo(3.0 / 64, within(1e-9));
        assertThat(row("Ensō, prefetch", 64).storesPerPacket()).isCloseTo(3.0 / 64, within(1e-9));
        double perPacket = row("Ensō, per packet", 64).notificationsPerPacket();
        assertThat(perPacket).isGreaterThanOrEqualTo(1 + 1.0 / 64);
        assertThat(perPacket).isLessThan(1.1);
    }

    @Test
    void thirtyNineAndOnePercentComeOut() {
        assertThat(result.packetizedShare()).isBetween(0.37, 0.41);
        assertThat(result.ensoShare(256)).as("about 1 % is published").isBetween(result.ensoShare(), 0.01);
        PcieCount packetized = result.rows().getLast().count();
        assertThat(packetized.readShareWithoutHeaders()).as("published: 38.9 %").isBetween(0.3, 0.5);
        assertThat(packetized.writeShareWithoutHeaders()).as("published: 31.0 %").isBetween(0.25, 0.4);
        assertThat(new EnsoText(result).text()).contains("no device but a formula", "38.9 %", "31.0 %",
                "at a batch of 256");
        assertThat(result.ensoShare()).isLessThan(0.01);
        assertThat(result.onePercentBatch()).isBetween(64, 512);
    }

    @Test
    void theLimitOfSmallTransfersComesOut() {
        assertThat(PcieLink.GEN3_X16.writeLimit(64) / 1e9).isBetween(82.0, 87.0);
        assertThat(PcieLink.GEN3_X16.writeLimit(4096)).isGreaterThan(100e9);
        CountRow packets = result.rows().getLast();
        assertThat(packets.count().packetsPerSecondLimit()).isBetween(85e6, 95e6); // published: 88 Mpps
        assertThat(row("Ensō, reactive", 512).packetsPerSecondLimit()).isGreaterThan(148.8e6);
    }

    @Test
    void corundumPaysADescriptorAndARecordPerPacket() {
        CountRow corundum = result.rows().stream().filter(r -> r.name().equals("Corundum")).findFirst().orElseThrow();
        // descriptors of 16 bytes and records of 32 bytes each way; queue pointers beside
        assertThat(corundum.count().metadataBytesPerPacket()).isBetween(96.0, 110.0);
        assertThat(corundum.count().notificationsPerPacket()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void everyRunIsTheSame() {
        String once = new EnsoText(result).json();
        String again = new EnsoText(EnsoReproduction.run(PcieLink.GEN3_X16, 8, false, what -> {})).json();
        assertThat(again).isEqualTo(once);
    }

    @Test
    void textAndPlotsNameEachInterfaceAndSource() {
        EnsoText text = new EnsoText(result);
        assertThat(text.text()).contains("Simulated", "Ensō, reactive", "Corundum", "E810-like", "published", "39 %",
                "OSDI'23");
        assertThat(text.json()).contains("\"simulated\": true");
        assertThat(text.plots()).hasSize(4).allSatisfy((name, svg) -> {
            assertThat(name).endsWith(".svg");
            assertThat(svg).startsWith("<svg").contains("E810-like", "<style>").endsWith("</svg>\n");
        });
    }

    @Test
    void theLinkCutsTransfers() {
        PcieLink link = PcieLink.GEN3_X16;
        assertThat(link.writeBytes(64)).isEqualTo(88);
        assertThat(link.writeBytes(512)).isEqualTo(512 + 2 * 24);
        assertThat(link.readRequests(513)).isEqualTo(2);
        assertThat(link.completionBytes(64)).isEqualTo(84);
        PcieCount nothing = new PcieCount(link);
        assertThat(nothing.notificationsPerPacket()).isZero();
        assertThat(nothing.readMetadataShare()).isZero();
    }
}
