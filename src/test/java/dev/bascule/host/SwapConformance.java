package dev.bascule.host;

import dev.bascule.junit.TransportConformance;
import dev.bascule.swap.SwapMode;
import java.nio.file.Path;

/** The conformance suite over the bilateral swap in one mode and placement. */
abstract class SwapConformance extends TransportConformance {
    private final LinkSetup setup;

    SwapConformance(SwapMode mode, Placement placement) {
        setup = LinkSetup.DEFAULT.withMode(mode).withPlacement(placement);
    }

    @Override
    protected Session open(Path where, boolean keep) {
        return Session.swap(where, setup, keep);
    }

    @Override
    protected int roomWhenAsked() {
        return setup.swap().mode() == SwapMode.SWAP0 ? 1 : super.roomWhenAsked();
    }

    @Override
    protected boolean canWithdraw() {
        return setup.swap().mode() == SwapMode.ONE_WORD;
    }
}
