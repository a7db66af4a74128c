package dev.bascule.host;

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
    int seeds() {
        return 15; // every call of an agent is a message to its process
    }

    @Override
    TransportSession open(Path where) {
        return agents.session(new LocalSession(where, false));
    }

    @Override
    TransportSession openKeeping(Path where) {
        return agents.session(new LocalSession(where, true));
    }

    @Override
    void letGo(TransportSession session) {
        session.close();
    }
}
