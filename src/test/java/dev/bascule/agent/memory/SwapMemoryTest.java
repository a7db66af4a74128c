package dev.bascule.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.ring.Clock;
import dev.bascule.study.experiment.FixedTiers;
import dev.bascule.swap.SwapBulkAgent;
import dev.bascule.swap.SwapBulkArea;
import dev.bascule.swap.SwapBulkHost;
import dev.bascule.swap.memory.SwapPageAgent;
import dev.bascule.swap.memory.SwapPageHost;
import org.junit.jupiter.api.Test;

/** Over the swap: what changes hands, and what cannot. */
class SwapMemoryTest extends MemoryConformance {
    /** Fewer lanes than a scan has messages. */
    private static final SwapBulkArea AREA = new SwapBulkArea(2, 257, 8192, 4096);

    private static final class Swap implements MemoryRig.Carrier {
        private final SmartNicRegion region;
        private final SwapBulkHost host;
        private final long[] scratch = new long[AREA.words()];

        Swap(SmartNicRegion region) {
            this.region = region;
            HostSide side = region.host();
            host = new SwapBulkHost(AREA, side.toNic(), side.memory(), Clock.system());
        }

        @Override
        public PageHostEnd hostEnd() {
            return new SwapPageHost(host);
        }

        @Override
        public PageAgentEnd agentEnd() {
            return new SwapPageAgent(
                    new SwapBulkAgent(AREA, region.nic().memory(), region.nic().hostMemory(), host.epoch()));
        }

        @Override
        public void renew() {
            host.fence();
        }

        /** The host hands over, and takes nothing that comes back. */
        @Override
        public void decide(MemoryAgent agent) {
            for (int round = 0; round < 16; round++) {
                agent.doWork();
                host.peek(scratch);
            }
            assertThat(host.peek(scratch)).as("a promise").isPositive();
        }
    }

    @Override
    MemoryRig.Carrier carrier(SmartNicRegion region) {
        return new Swap(region);
    }

    @Test
    void aBatchThatChangedOnItsWayToTheAgentDoesNotChangeHands() {
        try (MemoryRig rig = rig(options())) {
            rig.period();
            rig.period();
            long seen = rig.agent.scans();
            rig.host.beginPeriod();
            rig.agent.doWork(); // it has promised, and holds nothing yet
            rig.host.changed(5);
            rig.settle();
            assertThat(rig.agent.scans() - seen).as("batches that came").isEqualTo(BATCHES - 1);
            assertThat(rig.host.outcomes(MemoryOutcome.STALE)).as("nothing was decided of it").isZero();
            assertThat(((Swap) rig.carrier).host.counters().reversals).isPositive();
            assertThat(rig.host.isSlow(5)).isFalse();
            rig.period();
            assertThat(rig.host.isSlow(5)).as("scanned again, decided again").isTrue();
            assertAccounted(rig);
        }
    }

    @Test
    void whatAFencedAgentPromisedOrHeldIsNotTaken() {
        try (MemoryRig rig = rig(options())) {
            rig.period();
            rig.period();
            rig.host.beginPeriod();
            rig.decide();
            MemoryAgent former = rig.agent;
            long taken = rig.host.ledger().decided();
            rig.restart(new FixedTiers(BATCHES, 1, 100), BATCHES);
            for (int i = 0; i < 64; i++) {
                former.doWork();
                rig.host.doWork();
            }
            assertThat(rig.host.ledger().decided()).isEqualTo(taken);
            assertThat(rig.host.slowBatches()).isZero();
            long before = former.scans();
            for (int i = 0; i < 4; i++) {
                rig.host.beginPeriod();
                for (int look = 0; look < 64; look++) {
                    former.doWork();
                    rig.agent.doWork();
                    rig.host.doWork();
                }
            }
            assertThat(former.scans()).as("nothing comes to it").isEqualTo(before);
            assertThat(rig.host.ledger().decided() - taken).isEqualTo(4L * BATCHES)
                    .isEqualTo(rig.host.ledger().inForce() - taken).isEqualTo(rig.agent.decisions());
        }
    }

    @Test
    void aDecisionThatIsNotTakenStaysTheAgentsAndComesAgain() {
        try (MemoryRig rig = rig(options())) {
            rig.host.beginPeriod();
            rig.decide(); // promised, and found by the host
            for (int batch = 256; batch < BATCHES; batch++) {
                rig.host.changed(batch); // what is on offer behind it ends, so that the exchange is taken back
            }
            rig.settle();
            assertThat(rig.host.ledger().decided()).isEqualTo(rig.host.ledger().inForce())
                    .isEqualTo(rig.agent.decisions()).isEqualTo(256);
        }
    }

    @Test
    void anAgentThatReceivedNothingHasNothingToGiveBack() {
        try (MemoryRig rig = rig(options())) {
            assertThat(rig.end.receive(new long[AREA.words()])).isZero();
            assertThatThrownBy(() -> rig.end.send(new long[] { 1 }, 1)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("receive one first");
        }
    }
}
