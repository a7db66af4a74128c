package dev.bascule.host;

import dev.bascule.junit.TransportConformance;
import dev.bascule.swap.SwapProtocol;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

class IvshmemSwapConformanceTest extends TransportConformance {
    private final IvshmemPeers peers = new IvshmemPeers();

    @AfterEach
    void closePeers() {
        peers.close();
    }

    @Override
    protected Session open(Path where, boolean keep) {
        return new Session(new SwapProtocol(LinkSetup.DEFAULT.swap()),
                new CardPlace(where, keep, true, peers.in(where)));
    }

    @Override
    protected boolean canWithdraw() {
        return false; // as every mode but that on one word of coherent memory
    }
}
