package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.swap.SwapHost;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SwapSessionTest {
    private static final EnclaveShape SHAPE = EnclaveShape.of(2, 8);

    @TempDir
    private Path directory;

    @Test
    void theRecordsAreOutOfTheNicsReach() {
        try (InProcessSwap session = new InProcessSwap(SHAPE, SwapMode.SWAP1, Placement.PULL, FaultPlan.NONE, 1)) {
            MechanismEnd host = session.session().openHost(SHAPE);
            long records = SwapHost.sharedHostBytes(SHAPE, SwapOptions.DEFAULT);
            var dma = session.region().nic().dma();
            var memory = session.region().host().memory();
            long before = memory.loadAcquire(records);
            assertThat(before).as("a record is there").isNotZero();
            dma.storeRelease(records, 0x666);
            dma.writeFence();
            assertThat(session.region().host().dmaFaultCount()).isEqualTo(1);
            assertThat(memory.loadAcquire(records)).isEqualTo(before);
            assertThat(host.trouble(0)).isNull();
        }
    }

    @Test
    void anAgentOfAnotherTransportIsTurnedAway() {
        try (Session wave = Session.wave(directory, LinkSetup.DEFAULT, false);
                MechanismEnd host = wave.openHost(SHAPE);
                Session swap = Session.swap(directory, LinkSetup.DEFAULT, false)) {
            assertThat(host.epoch()).isEqualTo(1);
            assertThatThrownBy(() -> swap.attach(0)).isInstanceOf(AgentException.class)
                    .hasMessageContaining("its host uses transport wave, this agent swap");
        }
    }

    @Test
    void aRegionKeptInOneModeIsNotTakenOverInAnotherButKeptBeside() {
        try (Session first = Session.swap(directory, LinkSetup.DEFAULT, true);
                MechanismEnd host = first.openHost(SHAPE)) {
            assertThat(host.epoch()).isEqualTo(1);
        }
        LinkSetup other = LinkSetup.DEFAULT.withPlacement(Placement.PUSH);
        try (Session second = Session.swap(directory, other, false)) {
            assertThat(second.openHost(SHAPE).epoch()).isEqualTo(1);
            assertThat(directory.resolve("nic.mem.damaged-1")).exists();
        }
    }

    @Test
    void anAgentFindsModeAndPlacementInTheRegion() {
        for (SwapMode mode : SwapMode.values()) {
            LinkSetup setup = LinkSetup.DEFAULT.withMode(mode);
            try (Session own = Session.swap(directory, setup, false);
                    MechanismEnd host = own.openHost(SHAPE);
                    Session plain = Session.swap(directory, LinkSetup.DEFAULT, true);
                    AgentEnd agent = plain.attach(0)) {
                host.want(1);
                host.commit();
                agent.heartbeat();
                assertThat(agent.room(1)).as(mode.text()).isEqualTo(1);
                assertThat(agent.epoch()).isEqualTo(host.epoch());
            }
        }
    }

    @Test
    void namesAreReadAndWrongOnesAnsweredWithTheChoice() {
        for (SwapMode mode : SwapMode.values()) {
            assertThat(SwapMode.of(mode.text())).isEqualTo(mode);
        }
        for (Placement placement : Placement.values()) {
            assertThat(Placement.of(placement.text())).isEqualTo(placement);
        }
        assertThatThrownBy(() -> SwapMode.of("swap2")).hasMessageContaining("swap0, swap1, swap-end, one-word");
        assertThatThrownBy(() -> Placement.of("shove")).hasMessageContaining("pull, push, coherent");
    }
}
