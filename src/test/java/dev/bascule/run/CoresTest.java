package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who gets which core. */
class CoresTest {
    private static BitSet cores(int... numbers) {
        BitSet cores = new BitSet();
        IntStream.of(numbers).forEach(cores::set);
        return cores;
    }

    private static List<Integer> ofAgents(BitSet all, int agents, int carriers) {
        return IntStream.range(0, agents).mapToObj(number -> Cores.forAgent(all, number, agents, carriers)).toList();
    }

    @Test
    void oneAgentHasTheLastCoreAndTheHostTheOthers() {
        assertThat(ofAgents(cores(0, 1), 1, 1)).containsExactly(1);
        assertThat(Cores.forHost(cores(0, 1), 1, 1)).isEqualTo(cores(0));
        assertThat(Cores.forHost(cores(0, 2, 3, 7), 1, 3)).isEqualTo(cores(0, 2, 3));
    }

    @Test
    void severalAgentsHaveACoreEachWhereTheHostLeavesThem() {
        assertThat(ofAgents(cores(0, 1, 2, 5, 6, 7), 3, 2)).containsExactly(7, 6, 5);
        assertThat(Cores.forHost(cores(0, 1, 2, 5, 6, 7), 3, 2)).isEqualTo(cores(0, 1, 2));
    }

    @Test
    void moreAgentsThanThatTakeTurnsAndTheHostKeepsWhatItNeeds() {
        assertThat(ofAgents(cores(0, 1), 4, 1)).containsExactly(1, 1, 1, 1);
        assertThat(ofAgents(cores(0, 1, 2, 3), 4, 2)).containsExactly(3, 2, 3, 2);
        assertThat(Cores.forHost(cores(0, 1, 2, 3), 4, 2)).isEqualTo(cores(0, 1));
        assertThat(Cores.forHost(cores(0, 1, 2, 3), 4, 3)).isEqualTo(cores(0, 1, 2));
    }
}
