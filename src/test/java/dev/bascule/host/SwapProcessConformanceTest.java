package dev.bascule.host;

import dev.bascule.junit.ByTurns;
import dev.bascule.swap.SwapMode;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The conformance suite over the bilateral swap in every mode, with all agents in another process. */
@Tag("process")
class SwapProcessConformanceTest {
    @SuppressWarnings("NullAway.Init")
    private static PuppetMaster agents;

    @BeforeAll
    static void startTheAgentsProcess() {
        agents = new PuppetMaster();
    }

    @AfterAll
    static void endTheAgentsProcess() {
        agents.close();
    }

    private abstract static class Remote extends SwapConformance {
        Remote(SwapMode mode, Placement placement) {
            super(mode, placement);
        }

        @Override
        protected int seeds() {
            return 8; // every call of an agent is a message to its process
        }

        @Override
        protected Session open(Path where, boolean keep) {
            return agents.session(super.open(where, keep));
        }
    }

    @Nested
    @ByTurns(of = 5, place = 0)
    class Swap0Pulled extends Remote {
        Swap0Pulled() {
            super(SwapMode.SWAP0, Placement.PULL);
        }
    }

    @Nested
    @ByTurns(of = 5, place = 1)
    class Swap1Pulled extends Remote {
        Swap1Pulled() {
            super(SwapMode.SWAP1, Placement.PULL);
        }
    }

    @Nested
    @ByTurns(of = 5, place = 2)
    class Swap1Pushed extends Remote {
        Swap1Pushed() {
            super(SwapMode.SWAP1, Placement.PUSH);
        }
    }

    @Nested
    @ByTurns(of = 5, place = 3)
    class SwapEndPulled extends Remote {
        SwapEndPulled() {
            super(SwapMode.SWAP_END, Placement.PULL);
        }
    }

    @Nested
    @ByTurns(of = 5, place = 4)
    class OneWordCoherent extends Remote {
        OneWordCoherent() {
            super(SwapMode.ONE_WORD, Placement.COHERENT);
        }
    }
}
