package @PACKAGE@;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bascule.host.AgentHarness;
import dev.bascule.host.PolicyVerifier;
import dev.bascule.junit.SmartNic;
import dev.bascule.junit.Transport;
import dev.bascule.junit.TransportRig;
import org.junit.jupiter.api.Test;

class @POLICY@Test {
    /** Step by step, in virtual time. */
    @Test
    void aTaskWhoseSliceIsOverGoesToTheEnd() {
        AgentHarness h = AgentHarness.of(new @POLICY@(), 1, 8);
        int first = h.newTask();
        int second = h.newTask();
        h.step();
        assertEquals(first, h.running(0));
        h.advance(50_000);
        assertEquals(second, h.running(0));
        h.block(0);
        h.step();
        assertEquals(first, h.running(0));
    }

    /** Every sequence of up to three events on two CPUs, as bascule verify does it; what is found is told as a story. */
    @Test
    void nothingIsForgottenStarvedOrLeftIdle() {
        PolicyVerifier.Result result = new PolicyVerifier(2, 3).verify("@POLICY@", @POLICY@::new, 3, 60_000_000_000L);
        assertTrue(result.isClean() && result.isWhole(), result::text);
    }

    /** Random events over both transports of a simulated SmartNIC; both sides keep books, which must agree. */
    @SmartNic(transport = { Transport.WAVE, Transport.SWAP })
    void nothingIsLostOverASmartNic(TransportRig rig) {
        TransportRig.Attached agent = rig.attach(new @POLICY@());
        for (int step = 0; step < 1_000; step++) {
            rig.hostStep();
            agent.turn();
        }
        rig.drain(agent);
        rig.checkLedgers();
        assertTrue(rig.hostLedger().size() > 0, "decisions were made");
    }
}
