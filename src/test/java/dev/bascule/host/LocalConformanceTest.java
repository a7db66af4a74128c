package dev.bascule.host;

import java.nio.file.Path;

class LocalConformanceTest extends TransportConformance {
    @Override
    TransportSession open(Path where) {
        return new LocalSession(where, false);
    }

    @Override
    TransportSession openKeeping(Path where) {
        return new LocalSession(where, true);
    }

    @Override
    void letGo(TransportSession session) {
        session.close();
    }
}
