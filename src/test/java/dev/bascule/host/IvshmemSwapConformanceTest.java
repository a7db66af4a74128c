package dev.bascule.host;

import dev.bascule.junit.TransportConformance;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

class IvshmemSwapConformanceTest extends TransportConformance {
    private final IvshmemPeers peers = new IvshmemPeers();

    @AfterEach
    void closePeers() {
        peers.close();
    }

    @Override
    protected TransportSession open(Path where, boolean keep) {
        return CardSession.swap(where, SwapSession.Setup.DEFAULT.options(), keep, true, peers.in(where));
    }

    @Override
    protected boolean canWithdraw() {
        return false; // as every mode but that on one word of coherent memory
    }
}
