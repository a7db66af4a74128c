package dev.bascule.model.enso;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Flow key, flow table, fallback mask and round robin. */
class SteeringTest {
    private static final int SERVER = 0xC0A80001;
    private static final int CLIENT = 0x0A000002;

    private final FlowTable table = new FlowTable();
    private final FlowKey key = new FlowKey();

    @Test
    void hashMatchesTheValuesOfTheHardware() {
        int server = FlowReplay.address("192.168.0.0");
        assertThat(FlowHash.hash(0, 0, server, 80, 0)).isEqualTo(0x1f302f21);
        assertThat(FlowHash.hash(0, 0, server, 80, 1)).isEqualTo(0x823999fa);
        assertThat(FlowHash.hash(0, 0, server, 80, 2)).isEqualTo(0xd1966911);
        assertThat(FlowHash.hash(FlowReplay.address("10.0.0.1"), 1234, server, 80, 3)).isEqualTo(0x597877cd);
    }

    @Test
    void tcpLooksUpByAllFourFieldsExceptWithSyn() {
        key.parse(Frames.tcp(CLIENT, 1234, SERVER, 80, 0x10));
        assertThat(key).extracting(k -> k.sourceIp, k -> k.sourcePort, k -> k.destinationIp, k -> k.destinationPort)
                .containsExactly(CLIENT, 1234, SERVER, 80);
        for (int flags : new int[] { 0x02, 0x12, 0xFF }) {
            key.parse(Frames.tcp(CLIENT, 1234, SERVER, 80, flags));
            assertThat(key).extracting(k -> k.sourceIp, k -> k.sourcePort, k -> k.destinationIp,
                    k -> k.destinationPort).containsExactly(0, 0, SERVER, 80);
        }
    }

    @Test
    void udpLooksUpByDestinationAndOtherProtocolsByAddress() {
        key.parse(Frames.udp(CLIENT, 1234, SERVER, 0xFFFE));
        assertThat(key).extracting(k -> k.sourceIp, k -> k.sourcePort, k -> k.destinationIp, k -> k.destinationPort)
                .containsExactly(0, 0, SERVER, 0xFFFE);
        key.parse(Frames.ip(CLIENT, SERVER, 1));
        assertThat(key).extracting(k -> k.sourceIp, k -> k.sourcePort, k -> k.destinationIp, k -> k.destinationPort)
                .containsExactly(0, 0, SERVER, 0);
    }

    @Test
    void aVlanTagShiftsNothingSoTheFrameIsMisread() {
        byte[] plain = Frames.udp(CLIENT, 1, SERVER, 80);
        byte[] tagged = new byte[64];
        System.arraycopy(plain, 0, tagged, 0, 12);
        System.arraycopy(plain, 12, tagged, 16, 48);
        key.parse(tagged);
        assertThat(key.destinationIp).isNotEqualTo(SERVER);
    }

    @Test
    void insertsAreFoundUpdatedAndNeverRemoved() {
        assertThat(table.lookup(CLIENT, 1, SERVER, 80)).isEqualTo(FlowTable.MISS);
        assertThat(table.insert(CLIENT, 1, SERVER, 80, 5)).isTrue();
        assertThat(table.insert(CLIENT, 1, SERVER, 80, 6)).isTrue();
        assertThat(table.lookup(CLIENT, 1, SERVER, 80)).isEqualTo(6);
        assertThat(table.lookup(CLIENT, 2, SERVER, 80)).isEqualTo(FlowTable.MISS);
    }

    @Test
    void aFlowIsLostOnlyWhenItsFourPlacesAreTaken() {
        Random random = new Random(3);
        int lost = 0;
        int stored = 0;
        for (int i = 0; i < 9000; i++) {
            int ip = random.nextInt();
            boolean ok = table.insert(ip, i & 0xFFFF, SERVER, 80, i);
            assertThat(table.lookup(ip, i & 0xFFFF, SERVER, 80)).isEqualTo(ok ? i : FlowTable.MISS);
            lost += ok ? 0 : 1;
            stored += ok ? 1 : 0;
        }
        assertThat(stored).isBetween(6000, 8192);
        assertThat(lost).isEqualTo(9000 - stored);
    }

    @Test
    void missesGoByHashAndMaskOrAreDropped() {
        FlowDirector director = new FlowDirector();
        assertThat(director.pipe(FlowTable.MISS, 0x1234, 0)).isEqualTo(FlowDirector.DROP);
        director.configure(4, 3, false, 0);
        assertThat(director.pipe(FlowTable.MISS, 0x1236, 0)).isEqualTo(2);
        assertThat(director.pipe(77, 0x1236, 0)).isEqualTo(77);
        assertThat(director.pipe(0x2001, 0, 0)).isEqualTo(1);
        director.configure(4, -1, false, 0);
        assertThat(director.pipe(FlowTable.MISS, -1, 0)).isEqualTo(8191);
        director.reset();
        assertThat(director.pipe(FlowTable.MISS, 0, 0)).isEqualTo(FlowDirector.DROP);
    }

    @Test
    void roundRobinAdvancesEveryCycle() {
        FlowDirector director = new FlowDirector();
        director.configure(4, 3, true, 10);
        for (int cycle = 10; cycle < 30; cycle++) {
            assertThat(director.pipe(FlowTable.MISS, 99, cycle)).isEqualTo((cycle - 10) % 4);
        }
    }

    @Test
    void roundRobinEqualsCountingCycleByCycleForAnyMasks() {
        Random random = new Random(5);
        for (int round = 0; round < 300; round++) {
            RoundRobin counter = new RoundRobin();
            int mask = 0;
            boolean enabled = false;
            int value = 0;
            for (int cycle = 0; cycle < 60; cycle++) {
                if (random.nextInt(8) == 0) {
                    enabled = random.nextInt(4) > 0;
                    mask = random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(16);
                    counter.configure(enabled, mask, cycle);
                }
                assertThat(counter.at(cycle)).as("round %d cycle %d", round, cycle).isEqualTo(value);
                value = enabled ? value + 1 & mask : value;
            }
        }
    }
}
