package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EnclaveShapeTest {
    @Test
    void decisionsThatMayBeStagedTogetherNeverShareAPlaceNotEvenWhereNumbersWrap() {
        for (int staged = 1; staged <= 64; staged++) {
            EnclaveShape shape = new EnclaveShape(1, 1, 1, 2, staged);
            for (int first = -2 * staged; first <= 1; first++) { // -1 is 2^32 - 1
                int from = first;
                assertThat(IntStream.range(0, staged).map(i -> shape.place(from + i)).distinct().count())
                        .as("places of %d decisions from number %d", staged, first).isEqualTo(staged);
            }
            assertThat(IntStream.range(0, 256).map(shape::place).max()).hasValue(shape.places() - 1);
        }
    }

    @Test
    void everyAgentHasCpusAndNoneHasMuchMoreThanAnother() {
        for (int cpus = 1; cpus <= 12; cpus++) {
            for (int agents = 1; agents <= cpus; agents++) {
                EnclaveShape shape = new EnclaveShape(cpus, 1, agents, 2, 1);
                int[] seen = new int[cpus];
                for (int agent = 0; agent < agents; agent++) {
                    int[] own = shape.cpusOf(agent);
                    assertThat(own.length).isBetween(cpus / agents, shape.mostCpus());
                    for (int cpu : own) {
                        assertThat(shape.agentOf(cpu)).isEqualTo(agent);
                        seen[cpu]++;
                    }
                }
                assertThat(seen).containsOnly(1);
                assertThat(shape.mostCpus()).isEqualTo((cpus + agents - 1) / agents);
            }
        }
    }

    @Test
    void siblingsOfACoreHaveOneAgentUnlessThereAreMoreAgentsThanCores() {
        EnclaveShape shape = new EnclaveShape(8, 1, 3, 2, 1, new Topology(8, 2, 1));
        assertThat(IntStream.range(0, 8).map(shape::agentOf)).containsExactly(0, 0, 1, 1, 2, 2, 0, 0);
        assertThat(shape.mostCpus()).isEqualTo(4);
        EnclaveShape many = new EnclaveShape(8, 1, 8, 2, 1, new Topology(8, 2, 1));
        assertThat(IntStream.range(0, 8).map(many::agentOf)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void thereAreNoMoreAgentsThanCpus() {
        assertThatThrownBy(() -> new EnclaveShape(4, 1, 5, 2, 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("agents is 5, must be 1 to 4");
    }
}
