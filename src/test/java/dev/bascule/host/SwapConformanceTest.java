package dev.bascule.host;

import dev.bascule.junit.ByTurns;
import dev.bascule.swap.SwapMode;
import org.junit.jupiter.api.Nested;

/** The bilateral swap as a transport, in every mode and placement. */
class SwapConformanceTest {
    @Nested
    @ByTurns(of = 2, place = 0)
    class Swap0Pulled extends SwapConformance {
        Swap0Pulled() {
            super(SwapMode.SWAP0, Placement.PULL);
        }
    }

    @Nested
    @ByTurns(of = 2, place = 1)
    class Swap0Coherent extends SwapConformance {
        Swap0Coherent() {
            super(SwapMode.SWAP0, Placement.COHERENT);
        }
    }

    @Nested
    @ByTurns(of = 2, place = 0)
    class Swap1Pulled extends SwapConformance {
        Swap1Pulled() {
            super(SwapMode.SWAP1, Placement.PULL);
        }
    }

    @Nested
    @ByTurns(of = 2, place = 1)
    class Swap1Pushed extends SwapConformance {
        Swap1Pushed() {
            super(SwapMode.SWAP1, Placement.PUSH);
        }
    }

    @Nested
    @ByTurns(of = 2, place = 0)
    class SwapEndPulled extends SwapConformance {
        SwapEndPulled() {
            super(SwapMode.SWAP_END, Placement.PULL);
        }
    }

    @Nested
    @ByTurns(of = 2, place = 1)
    class OneWordCoherent extends SwapConformance {
        OneWordCoherent() {
            super(SwapMode.ONE_WORD, Placement.COHERENT);
        }
    }

    /** The word in host memory: the NIC compares and swaps by an AtomicOp, and looks at a copy in its own. */
    @Nested
    @ByTurns(of = 2, place = 0)
    class OneWordPushed extends SwapConformance {
        OneWordPushed() {
            super(SwapMode.ONE_WORD, Placement.PUSH);
        }
    }
}
