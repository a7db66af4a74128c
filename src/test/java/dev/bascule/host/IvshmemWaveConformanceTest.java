package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.junit.TransportConformance;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
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
    protected Session open(Path where, boolean keep) {
        return new Session(new WaveProtocol(LinkSetup.DEFAULT.wave()),
                new CardPlace(where, keep, true, peers.in(where)));
    }

    @Test
    void theRegionOfAnotherTransportIsNotTakenOver(@TempDir Path folder) throws Exception {
        Path where = Files.createDirectory(folder.resolve("both"));
        EnclaveShape shape = EnclaveShape.of(3, 12);
        var opener = peers.in(where);
        try (Session wave = open(where, true)) {
            wave.openHost(shape);
        }
        try (Session swap = new Session(new SwapProtocol(LinkSetup.DEFAULT.swap()),
                new CardPlace(where, false, true, opener))) {
            assertThat(swap.openHost(shape)).isNotNull();
            assertThat(swap.attach(0)).isNotNull();
        }
    }

    /** A header that says another mode: were that an error, no host would get in. */
    @Test
    void aRegionKeptInOneModeGivesWayToAHostOfAnother(@TempDir Path folder) throws Exception {
        Path where = Files.createDirectory(folder.resolve("modes"));
        EnclaveShape shape = EnclaveShape.of(3, 12);
        var opener = peers.in(where);
        for (boolean push : new boolean[] { false, true }) {
            try (Session swap = new Session(new SwapProtocol(LinkSetup.DEFAULT.swap().withPush(push)),
                    new CardPlace(where, true, true, opener))) {
                assertThat(swap.openHost(shape).epoch()).as("pushed: %s", push).isEqualTo(1);
                assertThat(swap.attach(0)).isNotNull();
            }
        }
    }
}
