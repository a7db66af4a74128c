package dev.bascule.study.experiment;

import dev.bascule.agent.TierPolicy;
import dev.bascule.agent.memory.MemoryAgent;
import dev.bascule.agent.memory.MemoryHost;
import dev.bascule.agent.memory.MemoryOptions;
import dev.bascule.study.sim.SimActor;
import dev.bascule.study.sim.SimCosts;
import dev.bascule.study.sim.SimLink;
import dev.bascule.study.sim.SimResult;
import dev.bascule.wave.BulkCounters;
import dev.bascule.wave.QueueArea;
import dev.bascule.wave.QueueDirection;
import dev.bascule.wave.QueueEnds;
import dev.bascule.wave.QueueEntry;
import dev.bascule.wave.QueueType;
import dev.bascule.wave.WaveQueues;
import dev.bascule.wave.memory.WavePageAgent;
import dev.bascule.wave.memory.WavePageHost;
import java.util.List;

/**
 * A memory agent on the NIC in virtual time: {@link MemoryHost} and {@link MemoryAgent} as they run live, over bulk
 * queues whose windows cost time. The host acts once in a scan period and whenever decisions arrive.
 */
final class MemoryRun {
    /** The time base of SOL's scans. */
    static final long PERIOD_NANOS = 300_000_000;
    private static final QueueArea AREA = new QueueArea(1, 2, 0, 1 << 17, 0, 1 << 20, 1 << 18);
    private static final int ENTRIES = 256;

    final SimLink link;
    final MemoryHost host;
    final MemoryAgent agent;
    final PageTrace trace;
    private final int periods;
    private final int warmUp;
    private long begun;
    private long fastBatchPeriods;
    private long slowBefore;
    private long allBefore;
    private long scansBefore;
    private long movesBefore;
    private SimResult.Bus busBefore = new SimResult.Bus(0, 0, 0, 0, 0);
    private long answeredNanos;
    private long answers;

    /** Runs so many periods, of which the first do not count. */
    MemoryRun(SimCosts costs, MemoryOptions options, TierPolicy policy, PageTrace trace, int periods, int warmUp) {
        this.trace = trace;
        this.periods = periods;
        this.warmUp = warmUp;
        link = new SimLink(costs, AREA.nicBytes(), AREA.hostBytes());
        QueueEnds ours = link.hostEnds(AREA);
        QueueEnds nic = link.nicEnds(AREA);
        WaveQueues queues = new WaveQueues(ours);
        QueueEntry down = bulk(queues, QueueDirection.TO_NIC);
        QueueEntry up = bulk(queues, QueueDirection.TO_HOST);
        host = new MemoryHost(options, trace, new WavePageHost(ours.bulkSender(down, new BulkCounters()),
                ours.bulkReceiver(up, new BulkCounters())));
        agent = new MemoryAgent(options.batches(), new Charged(policy), new WavePageAgent(
                nic.bulkReceiver(down, new BulkCounters()), nic.bulkSender(up, new BulkCounters())));
        link.begin();
        link.run(agent::doWork, List.of(new Core()), (periods + 1) * PERIOD_NANOS);
    }

    private static QueueEntry bulk(WaveQueues queues, QueueDirection direction) {
        int id = queues.create(direction, ENTRIES);
        queues.setType(id, QueueType.DMA);
        return queues.open(id);
    }

    /** A policy whose decisions take the time of the profile. */
    private final class Charged implements TierPolicy {
        private final TierPolicy policy;

        Charged(TierPolicy policy) {
            this.policy = policy;
        }

        @Override
        public int scanned(int batch, int accessedPages) {
            link.charge(link.costs().agent().decision());
            return policy.scanned(batch, accessedPages);
        }

        @Override
        public boolean isCold(int batch) {
            return policy.isCold(batch);
        }

        @Override
        public boolean observe(double slowShare) {
            link.charge(link.costs().agent().message());
            return policy.observe(slowShare);
        }
    }

    /** The host's core: a period at its time, decisions when they come. */
    private final class Core implements SimActor {
        @Override
        public int act() {
            int work = host.doWork();
            if (work > 0) {
                answeredNanos += link.clock().nanoTime() - begun * PERIOD_NANOS;
                answers++;
                return work;
            }
            if (link.clock().nanoTime() < nextNanos()) {
                return 0;
            }
            begun++;
            if (begun == warmUp + 1) {
                slowBefore = trace.slowAccesses();
                allBefore = trace.accesses();
                scansBefore = host.scans();
                movesBefore = host.moves();
                busBefore = link.bus();
            }
            trace.advance();
            host.beginPeriod();
            fastBatchPeriods += begun > warmUp ? host.tiers().length - host.slowBatches() : 0;
            return 1;
        }

        @Override
        public long nextNanos() {
            return begun == periods ? Long.MAX_VALUE : (begun + 1) * PERIOD_NANOS;
        }
    }

    // ---- what came of it, after the warm-up

    private int measured() {
        return periods - warmUp;
    }

    /** Fast memory that was not needed, percent. */
    double savedPercent() {
        return (1 - fastBatchPeriods / ((double) measured() * host.tiers().length)) * 100;
    }

    /** Accesses that went to slow memory, percent. */
    double slowPercent() {
        return (trace.slowAccesses() - slowBefore) * 100.0 / Math.max(1, trace.accesses() - allBefore);
    }

    double scannedPercentPerPeriod() {
        return (host.scans() - scansBefore) * 100.0 / measured() / host.tiers().length;
    }

    double movesPerPeriod() {
        return (host.moves() - movesBefore) / (double) measured();
    }

    /** Lines the NIC read by DMA, as bytes per second. */
    double dmaBytesPerSecond() {
        return (link.bus().nicReads() - busBefore.nicReads()) * 64 * 1e9 / measured() / PERIOD_NANOS;
    }

    /** From the start of a period to a message of decisions in force, ns, mean. */
    double decisionNanos() {
        return answers == 0 ? 0 : (double) answeredNanos / answers;
    }

    double agentBusyPercent() {
        return link.nicBusyNanos() * 100.0 / (periods * (double) PERIOD_NANOS);
    }
}
