package dev.bascule.host;

import java.nio.file.Path;

class WaveConformanceTest extends TransportConformance {
    @Override
    TransportSession open(Path where) {
        return new WaveSession(where, WaveSession.Setup.DEFAULT, false);
    }

    @Override
    TransportSession openKeeping(Path where) {
        return new WaveSession(where, WaveSession.Setup.DEFAULT, true);
    }

    @Override
    void letGo(TransportSession session) {
        session.close();
    }
}
