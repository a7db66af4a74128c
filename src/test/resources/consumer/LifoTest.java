package org.example.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bascule.host.Session;
import dev.bascule.junit.Loopback;
import dev.bascule.junit.Seed;
import dev.bascule.junit.SmartNic;
import dev.bascule.junit.Transport;
import dev.bascule.junit.TransportConformance;
import dev.bascule.junit.TransportRig;
import dev.bascule.nic.Nic;
import java.nio.file.Path;

/** Tests with the extension, and the conformance suite on a session of one's own. */
class LifoTest extends TransportConformance {
    @SmartNic(transport = { Transport.WAVE, Transport.SWAP })
    @Seed({ 1, 2 })
    void nothingIsLost(TransportRig rig) {
        TransportRig.Attached agent = rig.attach(new Lifo());
        for (int step = 0; step < 300; step++) {
            rig.hostStep();
            agent.turn();
        }
        rig.drain(agent);
        rig.checkLedgers();
    }

    @Loopback(device = { "corundum", "enso", "virtio" })
    void aCardIsThere(Nic nic) {
        assertEquals(1, nic.rxQueues());
    }

    @Override
    protected Session open(Path where, boolean keep) {
        return Session.onHost(where, keep);
    }

    @Override
    protected int seeds() {
        return 4;
    }
}
