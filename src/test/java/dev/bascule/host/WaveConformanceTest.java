package dev.bascule.host;

import dev.bascule.junit.TransportConformance;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class WaveConformanceTest extends TransportConformance {
    @Override
    protected Session open(Path where, boolean keep) {
        return Session.wave(where, LinkSetup.DEFAULT, keep);
    }

    @Test
    void aDecisionMovesFourLines() {
        for (int cpus : new int[] { 1, 8 }) {
            LineTransfers.assertMoves(new WaveProtocol(LinkSetup.DEFAULT.wave()), cpus, 4098);
        }
    }
}
