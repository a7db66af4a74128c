package dev.bascule.host;

import dev.bascule.junit.TransportConformance;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The conformance suite with all agents in another process. */
@Tag("process")
class LocalProcessConformanceTest extends TransportConformance {
    @SuppressWarnings("NullAway.Init")
    private static PuppetMaster agents;

    @BeforeAll
    static void startTheAgentsProcess() {
        agents = new PuppetMaster();
    }

    @AfterAll
    static void endTheAgentsProcess() {
        agents.close();
    }

    @Override
    protected int seeds() {
        return 15; // every call of an agent is a message to its process
    }

    @Override
    protected Session open(Path where, boolean keep) {
        return agents.session(Session.onHost(where, keep));
    }
}
