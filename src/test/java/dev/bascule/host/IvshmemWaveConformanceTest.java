package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.junit.TransportConformance;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IvshmemWaveConformanceTest extends TransportConformance {
    private final IvshmemPeers peers = new IvshmemPeers();

    @AfterEach
    void closePeers() {
        peers.close();
    }

    @Override
    protected TransportSession open(Path where, boolean keep) {
        return CardSession.wave(where, WaveSession.Setup.DEFAULT.options(), keep, true, peers.in(where));
    }

    @Test
    void theRegionOfAnotherTransportIsNotTakenOver(@TempDir Path folder) throws Exception {
        Path where = Files.createDirectory(folder.resolve("both"));
        EnclaveShape shape = EnclaveShape.of(3, 12);
        var opener = peers.in(where);
        try (TransportSession wave = open(where, true)) {
            wave.openHost(shape);
        }
        try (TransportSession swap = CardSession.swap(where, SwapSession.Setup.DEFAULT.options(), false, true,
                opener)) {
            assertThat(swap.openHost(shape)).isNotNull();
            assertThat(swap.attach(0)).isNotNull();
        }
    }
}
