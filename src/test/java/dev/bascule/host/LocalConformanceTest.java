package dev.bascule.host;

import dev.bascule.junit.TransportConformance;
import java.nio.file.Path;

class LocalConformanceTest extends TransportConformance {
    @Override
    protected TransportSession open(Path where, boolean keep) {
        return new LocalSession(where, keep);
    }
}
