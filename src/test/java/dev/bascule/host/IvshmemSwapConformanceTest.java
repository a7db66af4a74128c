package dev.bascule.host;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

class IvshmemSwapConformanceTest extends TransportConformance {
    private final IvshmemPeers peers = new IvshmemPeers();

    @AfterEach
    void closePeers() {
        peers.close();
    }

    @Override
    TransportSession open(Path where) {
        return IvshmemSession.swap(where, SwapSession.Setup.DEFAULT.options(), false, peers.in(where));
    }

    @Override
    TransportSession openKeeping(Path where) {
        return IvshmemSession.swap(where, SwapSession.Setup.DEFAULT.options(), true, peers.in(where));
    }

    @Override
    void letGo(TransportSession session) {
        session.close();
    }

    @Override
    boolean canWithdraw() {
        return false; // as every mode but that on one word of coherent memory
    }
}
