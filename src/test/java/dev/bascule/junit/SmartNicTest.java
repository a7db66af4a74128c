package dev.bascule.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.host.Session;
import dev.bascule.loopback.FaultKind;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.policy.FifoAgent;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/** What the extension gives to tests, used as a user does. */
class SmartNicTest {
    private int tasksBefore;

    @BeforeEach
    void aTaskIsThere(TransportRig rig) {
        tasksBefore = rig.create(true);
    }

    @SmartNic(transport = { Transport.ON_HOST, Transport.WAVE, Transport.SWAP })
    void aPolicyIsDrivenOverEachTransport(TransportRig rig, Transport transport, TestInfo info) {
        assertThat(info.getDisplayName()).isEqualTo(transport.text());
        assertThat(rig.session().name()).isEqualTo(transport.text());
        TransportRig.Attached agent = rig.attach(new FifoAgent());
        for (int step = 0; step < 300; step++) {
            rig.hostStep();
            agent.turn();
        }
        rig.drain(agent);
        rig.checkLedgers();
        assertThat(rig.hostLedger().size()).isPositive();
        assertThat(rig.runs()[tasksBefore]).isPositive();
    }

    @SmartNic(cpus = 3, tasks = 7, staged = 2, channelEntries = 8)
    void thePartsAreThoseOfOneRig(Mechanism host, AgentEnd agent, MechanismEnd end, TransportRig rig,
            Session session, EnclaveShape shape) {
        assertThat(shape).isEqualTo(new EnclaveShape(3, 7, 1, 8, 2));
        assertThat(end).isSameAs(rig.end());
        assertThat(host).isSameAs(rig.host());
        assertThat(session).isSameAs(rig.session());
        assertThat(agent.epoch()).isEqualTo(end.epoch());
        assertThat(end.shape()).isEqualTo(shape);
    }

    @SmartNic(transport = Transport.WAVE)
    @Seed(77)
    @Faults({ "drop:host-to-nic:probability=0.25", "delay:interrupt:amount=1000" })
    void seedAndFaultsAreThoseOfTheAnnotations(@Seed long seed, SplittableRandom random, FaultPlan plan) {
        assertThat(seed).isEqualTo(77);
        assertThat(random.nextLong()).isEqualTo(new SplittableRandom(77).nextLong());
        assertThat(plan.seed()).isEqualTo(77);
        assertThat(plan.rules()).hasSize(2);
        assertThat(plan.rules().getFirst().kind()).isEqualTo(FaultKind.DROP);
    }
}
