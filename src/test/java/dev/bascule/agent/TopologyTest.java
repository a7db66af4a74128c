package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyTest {
    private static int[] each(int cpus, java.util.function.IntUnaryOperator of) {
        return IntStream.range(0, cpus).map(of).toArray();
    }

    @Test
    void siblingsAndThenCoresOfASocketStandNextToEachOther() {
        Topology two = new Topology(8, 2, 2);
        assertThat(each(8, two::coreOf)).containsExactly(0, 0, 1, 1, 2, 2, 3, 3);
        assertThat(each(8, two::socketOf)).containsExactly(0, 0, 0, 0, 1, 1, 1, 1);
        assertThat(two.cores()).isEqualTo(4);
        Topology three = new Topology(6, 1, 3);
        assertThat(each(6, three::coreOf)).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(each(6, three::socketOf)).containsExactly(0, 0, 1, 1, 2, 2);
    }

    @Test
    void siblingsAreAlwaysOnOneSocket() {
        for (int siblings = 1; siblings <= 8; siblings++) {
            for (int sockets = 1; sockets <= 8; sockets++) {
                Topology t = new Topology(siblings * sockets * 3, siblings, sockets);
                int[] onSocket = new int[sockets];
                for (int cpu = 0; cpu < t.cpus(); cpu++) {
                    onSocket[t.socketOf(cpu)]++;
                    assertThat(t.socketOf(cpu)).isEqualTo(t.socketOf(t.coreOf(cpu) * siblings));
                }
                assertThat(onSocket).containsOnly(3 * siblings);
            }
        }
    }

    @Test
    void aFlatOneHasOneSocketAndACoreForEachCpu() {
        assertThat(Topology.flat(3).isFlat()).isTrue();
        assertThat(Topology.flat(3).socketOf(2)).isZero();
        assertThat(Topology.flat(3).cores()).isEqualTo(3);
        assertThat(new Topology(3, 2, 1).isFlat()).isFalse();
        assertThat(new Topology(3, 2, 1).cores()).as("the last with one CPU").isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({ "4,1,3", "6,2,2", "4,1,0", "4,1,-1", "4,0,1", "4,-2,1", "4,9,1", "0,1,1", "4097,1,1", "128,1,65",
            "2,2,2" })
    void whatMakesNoEqualSocketsOfWholeCoresIsRefused(int cpus, int siblings, int sockets) {
        assertThatThrownBy(() -> new Topology(cpus, siblings, sockets)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("topology: " + cpus + " CPUs");
    }

    @Test
    void anEnclaveHasTheTopologyOfItsOwnCpus() {
        assertThat(EnclaveShape.of(4, 8).topology()).isEqualTo(Topology.flat(4));
        assertThatThrownBy(() -> new EnclaveShape(4, 8, 1, 64, 1, Topology.flat(8)))
                .hasMessageContaining("of 8 CPUs, the enclave has 4");
    }
}
