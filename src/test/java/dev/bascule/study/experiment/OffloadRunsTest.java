package dev.bascule.study.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.memory.MemoryAgent;
import dev.bascule.agent.memory.MemoryHost;
import dev.bascule.agent.memory.MemoryOptions;
import dev.bascule.agent.memory.MemoryOutcome;
import dev.bascule.config.CostProfiles;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.policy.TieringAgent;
import dev.bascule.study.sim.SimCosts;
import dev.bascule.wave.BulkCounters;
import dev.bascule.wave.QueueArea;
import dev.bascule.wave.QueueDirection;
import dev.bascule.wave.QueueEnds;
import dev.bascule.wave.QueueEntry;
import dev.bascule.wave.QueueType;
import dev.bascule.wave.WaveQueues;
import dev.bascule.wave.memory.WavePageAgent;
import dev.bascule.wave.memory.WavePageHost;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Memory management and RPC steering in virtual time, and memory management live beside it. */
class OffloadRunsTest {
    private static final SimCosts COSTS = SimCosts.of(CostProfiles.load("published"), true);
    private static final int BATCHES = 512;
    private static final int PERIODS = 60;

    private static PageTrace trace() {
        return new PageTrace(PageTrace.Shape.of(BATCHES), 5);
    }

    private static TieringAgent policy() {
        return new TieringAgent(BATCHES, 2, 0.02, 7);
    }

    private static MemoryRun run(int warmUp) {
        return new MemoryRun(COSTS, MemoryOptions.of(BATCHES), policy(), trace(), PERIODS, warmUp);
    }

    /** The same classes on two threads over a loopback SmartNIC. */
    private static boolean[] live() throws InterruptedException {
        QueueArea area = new QueueArea(1, 2, 0, 1 << 17, 0, 1 << 19, 1 << 17);
        try (SmartNicRegion region = SmartNicRegion.inProcess(SmartNicConfig.DEFAULT)) {
            HostSide side = region.host();
            QueueEnds ours = QueueEnds.ofHost(area, side.toNic(), side.fromNic(), side.memory());
            WaveQueues queues = new WaveQueues(ours);
            QueueEntry down = bulk(queues, QueueDirection.TO_NIC);
            QueueEntry up = bulk(queues, QueueDirection.TO_HOST);
            PageTrace trace = trace();
            MemoryHost host = new MemoryHost(MemoryOptions.of(BATCHES), trace,
                    new WavePageHost(ours.bulkSender(down, new BulkCounters()),
                            ours.bulkReceiver(up, new BulkCounters())));
            AtomicBoolean stop = new AtomicBoolean();
            Thread nic = new Thread(() -> {
                QueueEnds nicEnds = QueueEnds.ofNic(area, region.nic().memory(), region.nic().hostMemory());
                MemoryAgent agent = new MemoryAgent(BATCHES, policy(),
                        new WavePageAgent(nicEnds.bulkReceiver(down, new BulkCounters()),
                                nicEnds.bulkSender(up, new BulkCounters())));
                while (!stop.get()) {
                    if (agent.doWork() == 0) {
                        Thread.onSpinWait();
                    }
                }
            });
            nic.start();
            long deadline = System.nanoTime() + 120_000_000_000L;
            for (int period = 0; period < PERIODS; period++) {
                trace.advance();
                long expected = host.scans();
                expected += host.beginPeriod();
                while (settled(host) < expected && System.nanoTime() - deadline < 0) {
                    if (host.doWork() == 0) {
                        Thread.onSpinWait();
                    }
                }
            }
            stop.set(true);
            nic.join();
            assertThat(settled(host)).isEqualTo(host.scans());
            return host.tiers();
        }
    }

    private static long settled(MemoryHost host) {
        long sum = 0;
        for (MemoryOutcome outcome : MemoryOutcome.values()) {
            sum += host.outcomes(outcome);
        }
        return sum;
    }

    private static QueueEntry bulk(WaveQueues queues, QueueDirection direction) {
        int id = queues.create(direction, 64);
        queues.setType(id, QueueType.DMA);
        return queues.open(id);
    }

    @Test
    void theMemoryAgentDecidesTheSameLiveAndInVirtualTime() throws Exception {
        MemoryRun simulated = run(0);
        assertThat(simulated.host.period()).isEqualTo(PERIODS);
        assertThat(simulated.host.slowBatches()).isPositive();
        assertThat(live()).isEqualTo(simulated.host.tiers());
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        MemoryRun first = run(10);
        MemoryRun second = run(10);
        assertThat(first.link.bus()).isEqualTo(second.link.bus());
        assertThat(first.savedPercent()).isEqualTo(second.savedPercent()).isBetween(30.0, 100.0);
        assertThat(first.decisionNanos()).isEqualTo(second.decisionNanos()).isGreaterThan(1000);
    }

    @Test
    void scanningLessOftenCostsLessBandwidthAndMoreSlowdown() {
        MemoryOptions options = MemoryOptions.of(BATCHES).withMostSlowShare(1);
        MemoryRun often = new MemoryRun(COSTS, options, new FixedTiers(BATCHES, 1, 3), trace(), PERIODS * 4, 20);
        MemoryRun seldom = new MemoryRun(COSTS, options, new FixedTiers(BATCHES, 8, 3), trace(), PERIODS * 4, 20);
        assertThat(seldom.dmaBytesPerSecond()).isPositive().isLessThan(often.dmaBytesPerSecond() / 2);
        assertThat(seldom.slowPercent()).isGreaterThan(often.slowPercent());
    }
}
