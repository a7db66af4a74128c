package dev.bascule.host;

import dev.bascule.junit.TransportConformance;
import java.nio.file.Path;

class LocalConformanceTest extends TransportConformance {
    @Override
    protected Session open(Path where, boolean keep) {
        return Session.onHost(where, keep);
    }
}
