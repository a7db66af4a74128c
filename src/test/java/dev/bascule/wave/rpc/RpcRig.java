package dev.bascule.wave.rpc;

import dev.bascule.agent.SteeringPolicy;
import dev.bascule.agent.TransportCounters;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.wave.BulkCounters;
import dev.bascule.wave.QueueArea;
import dev.bascule.wave.QueueDirection;
import dev.bascule.wave.QueueEnds;
import dev.bascule.wave.QueueType;
import dev.bascule.wave.WaveQueues;
import java.util.ArrayList;
import java.util.List;

/** A steering agent and its cores over a loopback SmartNIC. */
public final class RpcRig implements AutoCloseable {
    /** Requests a core may have. */
    public static final int MOST = 16;

    private final SmartNicRegion region;
    /** The agent. */
    public final SteeringAgent agent;
    /** The cores. */
    public final List<RpcCore> cores = new ArrayList<>();

    /** With so many cores that all serve in the same way. */
    public RpcRig(int count, SteeringPolicy policy, PacketProcessor server, FaultPlan plan) {
        region = SmartNicRegion.inProcess(SmartNicConfig.DEFAULT.withPlan(plan).withSeed(plan.seed()));
        QueueArea area = new QueueArea(5, 2 * count, 4096, 1 << 18, 0, 1 << 19, 1 << 15);
        QueueEnds nic = QueueEnds.ofNic(area, region.nic().memory(), region.nic().hostMemory());
        WaveQueues queues = new WaveQueues(host(area));
        List<CoreLink> links = new ArrayList<>();
        for (int core = 0; core < count; core++) {
            QueueEnds own = host(area);
            int down = queues.create(QueueDirection.TO_HOST, MOST);
            queues.setType(down, QueueType.DMA);
            int up = queues.create(QueueDirection.TO_NIC, 64);
            cores.add(new RpcCore(own.bulkReceiver(queues.open(down), new BulkCounters()),
                    own.messageSender(queues.open(up)), own, server));
            links.add(new CoreLink(nic.bulkSender(queues.open(down), new BulkCounters()),
                    nic.messageReceiver(queues.open(up), new TransportCounters())));
        }
        agent = new SteeringAgent(policy, links, MOST);
    }

    private QueueEnds host(QueueArea area) {
        HostSide side = region.host();
        return QueueEnds.ofHost(area, side.toNic(), side.fromNic(), side.memory());
    }

    /** Every core looks once. */
    public int work() {
        int work = 0;
        for (RpcCore core : cores) {
            work += core.doWork();
        }
        return work;
    }

    @Override
    public void close() {
        region.close();
    }
}
