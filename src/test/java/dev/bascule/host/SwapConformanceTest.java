package dev.bascule.host;

import dev.bascule.swap.SwapMode;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;

/** The bilateral swap as a transport, in every mode and placement. */
class SwapConformanceTest {
    private abstract static class Swap extends TransportConformance {
        private final SwapSession.Setup setup;

        Swap(SwapMode mode, Placement placement) {
            setup = SwapSession.Setup.DEFAULT.withMode(mode).withPlacement(placement);
        }

        @Override
        TransportSession open(Path where) {
            return new SwapSession(where, setup, false);
        }

        @Override
        TransportSession openKeeping(Path where) {
            return new SwapSession(where, setup, true);
        }

        @Override
        void letGo(TransportSession session) {
            session.close();
        }

        @Override
        int roomWhenAsked() {
            return setup.options().mode() == SwapMode.SWAP0 ? 1 : super.roomWhenAsked();
        }

        @Override
        boolean canWithdraw() {
            return setup.options().mode() == SwapMode.ONE_WORD;
        }
    }

    @Nested
    class Swap0Pulled extends Swap {
        Swap0Pulled() {
            super(SwapMode.SWAP0, Placement.PULL);
        }
    }

    @Nested
    class Swap0Coherent extends Swap {
        Swap0Coherent() {
            super(SwapMode.SWAP0, Placement.COHERENT);
        }
    }

    @Nested
    class Swap1Pulled extends Swap {
        Swap1Pulled() {
            super(SwapMode.SWAP1, Placement.PULL);
        }
    }

    @Nested
    class Swap1Pushed extends Swap {
        Swap1Pushed() {
            super(SwapMode.SWAP1, Placement.PUSH);
        }
    }

    @Nested
    class SwapEndPulled extends Swap {
        SwapEndPulled() {
            super(SwapMode.SWAP_END, Placement.PULL);
        }
    }

    @Nested
    class OneWordCoherent extends Swap {
        OneWordCoherent() {
            super(SwapMode.ONE_WORD, Placement.COHERENT);
        }
    }
}
