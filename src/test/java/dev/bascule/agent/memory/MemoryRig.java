package dev.bascule.agent.memory;

import dev.bascule.agent.TierPolicy;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.wave.BulkCounters;
import dev.bascule.wave.BulkReceiver;
import dev.bascule.wave.BulkSender;
import dev.bascule.wave.QueueArea;
import dev.bascule.wave.QueueDirection;
import dev.bascule.wave.QueueEnds;
import dev.bascule.wave.QueueEntry;
import dev.bascule.wave.QueueType;
import dev.bascule.wave.WaveQueues;

/** Host and agent over a loopback SmartNIC, with pages that a test accesses by hand. */
final class MemoryRig implements AutoCloseable {
    final SmartNicRegion region;
    final QueueEnds hostEnds;
    final QueueEnds nicEnds;
    final WaveQueues queues;
    final Pages pages;
    final MemoryHost host;
    MemoryAgent agent;
    BulkSender toHost;
    BulkReceiver fromHost;
    private QueueEntry down;
    private QueueEntry up;

    /** Pages by hand. */
    static final class Pages implements PageSource {
        final long[] accessed;
        final boolean[] slow;
        final boolean[] gone;
        final boolean[] fixed;
        final boolean[] touchedLately;
        long slowAccesses;
        long accesses;

        Pages(int batches) {
            accessed = new long[batches];
            slow = new boolean[batches];
            gone = new boolean[batches];
            fixed = new boolean[batches];
            touchedLately = new boolean[batches];
        }

        void touch(int batch, int times) {
            accessed[batch] |= 1;
            accesses += times;
            slowAccesses += slow[batch] ? times : 0;
        }

        @Override
        public long takeAccessed(int batch) {
            long bits = accessed[batch];
            accessed[batch] = 0;
            return bits;
        }

        @Override
        public boolean move(int batch, boolean toSlow) {
            slow[batch] = toSlow && !fixed[batch];
            return !fixed[batch];
        }

        @Override
        public boolean isThere(int batch) {
            return !gone[batch];
        }

        @Override
        public boolean isUnchanged(int batch) {
            return !touchedLately[batch];
        }

        @Override
        public long slowAccesses() {
            return slowAccesses;
        }

        @Override
        public long accesses() {
            return accesses;
        }
    }

    MemoryRig(MemoryOptions options, TierPolicy policy, FaultPlan plan) {
        region = SmartNicRegion.inProcess(SmartNicConfig.DEFAULT.withPlan(plan).withSeed(plan.seed()));
        QueueArea area = new QueueArea(3, 4, 8192, 1 << 18, 4096, 1 << 19, 1 << 16);
        HostSide hostSide = region.host();
        NicSide nicSide = region.nic();
        hostEnds = QueueEnds.ofHost(area, hostSide.toNic(), hostSide.fromNic(), hostSide.memory());
        nicEnds = QueueEnds.ofNic(area, nicSide.memory(), nicSide.hostMemory());
        queues = new WaveQueues(hostEnds);
        pages = new Pages(options.batches());
        down = bulk(QueueDirection.TO_NIC);
        up = bulk(QueueDirection.TO_HOST);
        host = new MemoryHost(options, pages, hostEnds.bulkSender(down, new BulkCounters()),
                hostEnds.bulkReceiver(up, new BulkCounters()));
        fromHost = nicEnds.bulkReceiver(down, new BulkCounters());
        toHost = nicEnds.bulkSender(up, new BulkCounters());
        agent = new MemoryAgent(options.batches(), policy, fromHost, toHost);
    }

    private QueueEntry bulk(QueueDirection direction) {
        int id = queues.create(direction, 64);
        queues.setType(id, QueueType.DMA);
        return queues.open(id);
    }

    /** A new agent with new queues. */
    void restart(TierPolicy policy, int batches) {
        queues.destroy(down.id());
        queues.destroy(up.id());
        down = bulk(QueueDirection.TO_NIC);
        up = bulk(QueueDirection.TO_HOST);
        fromHost = nicEnds.bulkReceiver(down, new BulkCounters());
        toHost = nicEnds.bulkSender(up, new BulkCounters());
        agent = new MemoryAgent(batches, policy, fromHost, toHost);
        host.attach(hostEnds.bulkSender(down, new BulkCounters()), hostEnds.bulkReceiver(up, new BulkCounters()));
    }

    /** One period with an agent that answers in time. */
    void period() {
        host.beginPeriod();
        settle();
    }

    void settle() {
        while (agent.doWork() + host.doWork() > 0) {
            // until neither has anything to do
        }
    }

    @Override
    public void close() {
        region.close();
    }
}
