package dev.bascule.agent.memory;

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

/** Over Wave's bulk queues. */
class WaveMemoryTest extends MemoryConformance {
    private static final class Queues implements MemoryRig.Carrier {
        private final QueueEnds hostEnds;
        private final QueueEnds nicEnds;
        private final WaveQueues queues;
        private QueueEntry down;
        private QueueEntry up;

        Queues(SmartNicRegion region) {
            QueueArea area = new QueueArea(3, 4, 8192, 1 << 18, 4096, 1 << 19, 1 << 16);
            HostSide hostSide = region.host();
            NicSide nicSide = region.nic();
            hostEnds = QueueEnds.ofHost(area, hostSide.toNic(), hostSide.fromNic(), hostSide.memory());
            nicEnds = QueueEnds.ofNic(area, nicSide.memory(), nicSide.hostMemory());
            queues = new WaveQueues(hostEnds);
            down = bulk(QueueDirection.TO_NIC);
            up = bulk(QueueDirection.TO_HOST);
        }

        private QueueEntry bulk(QueueDirection direction) {
            int id = queues.create(direction, 64);
            queues.setType(id, QueueType.DMA);
            return queues.open(id);
        }

        @Override
        public PageHostEnd hostEnd() {
            return new WavePageHost(hostEnds.bulkSender(down, new BulkCounters()),
                    hostEnds.bulkReceiver(up, new BulkCounters()));
        }

        @Override
        public PageAgentEnd agentEnd() {
            return new WavePageAgent(nicEnds.bulkReceiver(down, new BulkCounters()),
                    nicEnds.bulkSender(up, new BulkCounters()));
        }

        @Override
        public void renew() {
            queues.destroy(down.id());
            queues.destroy(up.id());
            down = bulk(QueueDirection.TO_NIC);
            up = bulk(QueueDirection.TO_HOST);
        }

        @Override
        public void decide(MemoryAgent agent) {
            while (agent.doWork() > 0) {
                // all that was sent
            }
        }
    }

    @Override
    MemoryRig.Carrier carrier(SmartNicRegion region) {
        return new Queues(region);
    }
}
