package dev.bascule.host;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.junit.TransportConformance;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapProtocol;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

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

    /** Eight lines; eleven for one word in host memory, of which the NIC has a copy of its own. */
    @Test
    void aDecisionMovesItsLinesAndNoMore() {
        boolean isWord = setup.swap().mode() == SwapMode.ONE_WORD;
        assumeTrue(!isWord || setup.swap().push(), "coherent NIC memory is reached without a window that counts");
        for (int cpus : new int[] { 1, 8 }) {
            LineTransfers.assertMoves(new SwapProtocol(setup.swap()), cpus, isWord ? 11_266 : 8194);
        }
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
