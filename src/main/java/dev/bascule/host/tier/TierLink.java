package dev.bascule.host.tier;

import dev.bascule.agent.TierPolicy;
import dev.bascule.agent.memory.MemoryAgent;
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
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Wave's bulk queues between host and memory agent, over the memory that a SmartNIC and its host share: scans down,
 * decisions up, both by DMA. Each agent gets queues of its own, so that nothing of a former one is taken for its.
 * <p>
 * Thread rule: one thread, the host's; an agent in this process has what {@link #agent} gives on a thread of its own.
 */
public final class TierLink implements AutoCloseable {
    private static final QueueArea AREA = new QueueArea(1, 4, 0, 1 << 18, 0, 1 << 21, 1 << 18);
    private static final int ENTRIES = 256;

    private final SmartNicRegion region;
    private final QueueEnds ends;
    private final WaveQueues queues;
    private int down;
    private int up;

    /** @param directory where another process finds it; null: the agent is in this one */
    public TierLink(@Nullable Path directory) {
        region = directory == null
                ? SmartNicRegion.inProcess(SmartNicConfig.DEFAULT)
                : SmartNicRegion.create(directory, SmartNicConfig.DEFAULT);
        HostSide side = region.host();
        ends = QueueEnds.ofHost(AREA, side.toNic(), side.fromNic(), side.memory());
        queues = new WaveQueues(ends);
        renew();
    }

    /** New queues, for a new agent; those of the former one end. */
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

    BulkSender sender() {
        return ends.bulkSender(queues.open(down), new BulkCounters());
    }

    BulkReceiver receiver() {
        return ends.bulkReceiver(queues.open(up), new BulkCounters());
    }

    /** The numbers of the queues, for {@link Far}. */
    public String queues() {
        return down + "," + up;
    }

    /** An agent in this process, over the queues there are now. */
    public MemoryAgent agent(int batches, TierPolicy policy) {
        return agent(region, down, up, batches, policy);
    }

    private static MemoryAgent agent(SmartNicRegion region, int down, int up, int batches, TierPolicy policy) {
        NicSide side = region.nic();
        QueueEnds ends = QueueEnds.ofNic(AREA, side.memory(), side.hostMemory());
        return new MemoryAgent(batches, policy, ends.bulkReceiver(entry(ends, down), new BulkCounters()),
                ends.bulkSender(entry(ends, up), new BulkCounters()));
    }

    private static QueueEntry entry(QueueEnds ends, int id) {
        QueueEntry entry = ends.find(id);
        if (entry == null) {
            throw new IllegalStateException("memory agent: there is no queue " + id + " any more; another agent has"
                    + " taken this one's place");
        }
        return entry;
    }

    /** An agent's end in a process of its own. */
    public static final class Far implements AutoCloseable {
        private final SmartNicRegion region;
        private final MemoryAgent agent;

        /** @param queues as {@link TierLink#queues} gave them */
        public Far(Path directory, String queues, int batches, TierPolicy policy) {
            String[] ids = queues.split(",");
            region = SmartNicRegion.attach(directory, FaultPlan.NONE, 1);
            agent = TierLink.agent(region, Integer.parseInt(ids[0]), Integer.parseInt(ids[1]), batches, policy);
        }

        /** The agent, for one thread. */
        public MemoryAgent agent() {
            return agent;
        }

        @Override
        public void close() {
            region.close();
        }
    }

    @Override
    public void close() {
        region.close();
    }
}
