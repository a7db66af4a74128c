package dev.bascule.host;

import dev.bascule.swap.SwapMode;
import java.nio.file.Path;

/** The conformance suite over the bilateral swap in one mode and placement. */
abstract class SwapConformance extends TransportConformance {
    private final SwapSession.Setup setup;

    SwapConformance(SwapMode mode, Placement placement) {
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
