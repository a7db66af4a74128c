package dev.bascule.host;

import dev.bascule.junit.TransportConformance;
import dev.bascule.swap.SwapMode;
import java.nio.file.Path;

/** The conformance suite over the bilateral swap in one mode and placement. */
abstract class SwapConformance extends TransportConformance {
    private final SwapSession.Setup setup;

    SwapConformance(SwapMode mode, Placement placement) {
        setup = SwapSession.Setup.DEFAULT.withMode(mode).withPlacement(placement);
    }

    @Override
    protected TransportSession open(Path where, boolean keep) {
        return new SwapSession(where, setup, keep);
    }

    @Override
    protected int roomWhenAsked() {
        return setup.options().mode() == SwapMode.SWAP0 ? 1 : super.roomWhenAsked();
    }

    @Override
    protected boolean canWithdraw() {
        return setup.options().mode() == SwapMode.ONE_WORD;
    }
}
