package dev.bascule.host;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

class IvshmemWaveConformanceTest extends TransportConformance {
    private final IvshmemPeers peers = new IvshmemPeers();

    @AfterEach
    void closePeers() {
        peers.close();
    }

    @Override
    TransportSession open(Path where) {
        return IvshmemSession.wave(where, WaveSession.Setup.DEFAULT.options(), false, peers.in(where));
    }

    @Override
    TransportSession openKeeping(Path where) {
        return IvshmemSession.wave(where, WaveSession.Setup.DEFAULT.options(), true, peers.in(where));
    }

    @Override
    void letGo(TransportSession session) {
        session.close();
    }

    @org.junit.jupiter.api.Test
    void theRegionOfAnotherTransportIsNotTakenOver() throws Exception {
        Path where = java.nio.file.Files.createDirectory(directory.resolve("both"));
        var opener = peers.in(where);
        try (TransportSession wave = openKeeping(where)) {
            wave.openHost(SHAPE);
        }
        try (TransportSession swap = IvshmemSession.swap(where, SwapSession.Setup.DEFAULT.options(), false, opener)) {
            org.assertj.core.api.Assertions.assertThat(swap.openHost(SHAPE)).isNotNull();
            org.assertj.core.api.Assertions.assertThat(swap.attach(0)).isNotNull();
        }
    }
}
