package dev.bascule.host;

import dev.bascule.junit.TransportConformance;
import java.nio.file.Path;

/**
 * The conformance suite on the host. Its lines are not counted: slots and rings are reached by address, so no window can
 * count there.
 */
class LocalConformanceTest extends TransportConformance {
    @Override
    protected Session open(Path where, boolean keep) {
        return Session.onHost(where, keep);
    }
}
