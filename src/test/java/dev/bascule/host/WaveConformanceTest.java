package dev.bascule.host;

import dev.bascule.junit.TransportConformance;
import java.nio.file.Path;

class WaveConformanceTest extends TransportConformance {
    @Override
    protected TransportSession open(Path where, boolean keep) {
        return new WaveSession(where, WaveSession.Setup.DEFAULT, keep);
    }
}
