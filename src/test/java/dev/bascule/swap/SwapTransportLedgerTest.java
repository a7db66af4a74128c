package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Mechanism;
import dev.bascule.policy.FifoAgent;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The exchanges below a scheduled world: tokens are conserved, and both ends agree about each exchange. */
class SwapTransportLedgerTest {
    private static final int SEEDS = 40;

    @ParameterizedTest
    @EnumSource(value = SwapMode.class, names = { "SWAP0", "SWAP1", "SWAP_END" })
    void tokensAreConservedAndBothEndsAgree(SwapMode mode) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            SwapEnds ends = new SwapEnds(SwapOptions.DEFAULT.withMode(mode));
            Mechanism host = new Mechanism(ends.host, System::nanoTime, DecisionListener.NONE);
            AgentLoop agent = new AgentLoop(new FifoAgent(), ends.agent, System::nanoTime);
            for (int i = 0; i < 8; i++) {
                host.create(true, -1, 0, 0);
            }
            world(host, agent, new SplittableRandom(seed));
            assertThat(SwapLedgerCheck.faults(ends.hostLedger, List.of(ends.agentLedger))).as("%s, seed %d", mode, seed)
                    .isEmpty();
            assertThat(ends.agentLedger.size()).as("exchanges, seed %d", seed).isPositive();
        }
    }

    private static void world(Mechanism host, AgentLoop agent, SplittableRandom random) {
        for (int step = 0; step < 400; step++) {
            int cpu = random.nextInt(SwapEnds.SHAPE.cpus());
            int current = host.current(cpu);
            switch (random.nextInt(5)) {
                case 0, 1 -> agent.turn();
                case 2 -> host.commit();
                default -> {
                    if (current != Mechanism.NONE) {
                        host.yielded(current, 10);
                    } else if (random.nextInt(8) == 0) {
                        host.decideLocally(cpu);
                    } else {
                        host.want(cpu);
                        host.decide(cpu);
                    }
                }
            }
        }
    }
}
