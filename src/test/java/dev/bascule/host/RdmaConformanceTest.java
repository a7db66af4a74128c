package dev.bascule.host;

import dev.bascule.swap.SwapMode;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The conformance suite over a mirrored region on verbs that do whatever the specification allows. */
@Tag("heavy")
class RdmaConformanceTest {
    /** Decisions in NIC memory. */
    @Nested
    class Wave extends RdmaConformance {
        Wave() {
            super(wave(false), false);
        }
    }

    /** Lines in host memory. */
    @Nested
    class Swap1Pushed extends RdmaConformance {
        Swap1Pushed() {
            super(swap(SwapMode.SWAP1, true), false);
        }
    }
}
