package dev.bascule.host.tier;

import dev.bascule.agent.TierPolicy;
import dev.bascule.agent.memory.MemoryAgent;
import dev.bascule.agent.memory.PageHostEnd;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.wave.BulkCounters;
import dev.bascule.wave.QueueArea;
import dev.bascule.wave.QueueDirection;
import dev.bascule.wave.QueueEnds;
import dev.bascule.wave.QueueEntry;
import dev.bascule.wave.QueueType;
import dev.bascule.wave.WaveQueues;
import dev.bascule.wave.memory.WavePageAgent;
import dev.bascule.wave.memory.WavePageHost;
import org.jspecify.annotations.Nullable;

/** Wave's bulk queues, down and up: both by DMA, new ones for each agent, so that nothing of a former one is taken for its. */
final class WaveTierLink implements TierLink {
    static final String NAME = "wave";
    private static final QueueArea AREA = new QueueArea(1, 4, 0, 1 << 18, 0, 1 << 21, 1 << 18);
    private static final int ENTRIES = 256;

    private final SmartNicRegion region;
    private final QueueEnds ends;
    private final WaveQueues queues;
    private int down;
    private int up;

    WaveTierLink(SmartNicRegion region) {
        this.region = region;
        HostSide side = region.host();
        ends = QueueEnds.ofHost(AREA, side.toNic(), side.fromNic(), side.memory());
        queues = new WaveQueues(ends);
        renew();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void renew() {
        if (down != 0) {
            queues.destroy(down);
            queues.destroy(up);
        }
        down = bulk(QueueDirection.TO_NIC);
        up = bulk(QueueDirection.TO_HOST);
    }

    private int bulk(QueueDirection direction) {
        int id = queues.create(direction, ENTRIES);
        queues.setType(id, QueueType.DMA);
        return id;
    }

    @Override
    public PageHostEnd end() {
        return new WavePageHost(ends.bulkSender(queues.open(down), new BulkCounters()),
                ends.bulkReceiver(queues.open(up), new BulkCounters()));
    }

    @Override
    public String key() {
        return down + "," + up;
    }

    @Override
    public @Nullable String trouble() {
        return null;
    }

    @Override
    public MemoryAgent agent(int batches, TierPolicy policy) {
        return agent(region, key(), batches, policy);
    }

    static MemoryAgent agent(SmartNicRegion region, String key, int batches, TierPolicy policy) {
        String[] ids = key.split(",", -1);
        NicSide side = region.nic();
        QueueEnds ends = QueueEnds.ofNic(AREA, side.memory(), side.hostMemory());
        return new MemoryAgent(batches, policy, new WavePageAgent(
                ends.bulkReceiver(entry(ends, Integer.parseInt(ids[0])), new BulkCounters()),
                ends.bulkSender(entry(ends, Integer.parseInt(ids[1])), new BulkCounters())));
    }

    private static QueueEntry entry(QueueEnds ends, int id) {
        QueueEntry entry = ends.find(id);
        if (entry == null) {
            throw new IllegalStateException("memory agent: there is no queue " + id + " any more; another agent has"
                    + " taken this one's place");
        }
        return entry;
    }

    @Override
    public void close() {
        region.close();
    }
}
