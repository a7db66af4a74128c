package dev.bascule.wave;

import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.memory.Window;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Both sides of a loopback SmartNIC in one thread, with queue ends over the windows that each side really has. */
final class QueueRig implements AutoCloseable {
    static final long NIC_AT = 8192;
    static final long HOST_AT = 4096;

    final SmartNicRegion region;
    final QueueArea area;
    final QueueEnds host;
    final QueueEnds nic;
    final WaveQueues queues;
    final QueueFinder finder;
    final Window nicMemory;
    final Window hostMemory;
    final BulkCounters sending = new BulkCounters();
    final BulkCounters receiving = new BulkCounters();

    QueueRig(FaultPlan plan, long seed, long payloadBytes) {
        this(plan, seed, payloadBytes, LinkProfile.ZERO);
    }

    QueueRig(FaultPlan plan, long seed, long payloadBytes, LinkProfile profile) {
        region = SmartNicRegion.inProcess(
                SmartNicConfig.DEFAULT.withPlan(plan).withSeed(seed).withProfile(profile));
        area = new QueueArea(7, 8, NIC_AT, 1 << 18, HOST_AT, 1 << 20, payloadBytes);
        HostSide hostSide = region.host();
        NicSide nicSide = region.nic();
        host = QueueEnds.ofHost(area, hostSide.toNic(), hostSide.fromNic(), hostSide.memory());
        nic = QueueEnds.ofNic(area, nicSide.memory(), nicSide.hostMemory());
        queues = new WaveQueues(host);
        finder = new QueueFinder(nic);
        nicMemory = region.nicMemory().owner();
        hostMemory = region.hostMemory().owner();
    }

    QueueEntry bulkQueue(QueueDirection direction, int entries) {
        int id = queues.create(direction, entries);
        queues.setType(id, QueueType.DMA);
        return queues.open(id);
    }

    BulkSender sender(QueueEntry queue) {
        return (queue.direction() == QueueDirection.TO_NIC ? host : nic).bulkSender(queue, sending);
    }

    BulkReceiver receiver(QueueEntry queue) {
        return (queue.direction() == QueueDirection.TO_NIC ? nic : host).bulkReceiver(queue, receiving);
    }

    /** The id that the NIC finds, or null. */
    @Nullable
    Integer found(QueueTarget target, QueueDirection direction) {
        QueueEntry queue = finder.open(target, direction);
        return queue == null ? null : queue.id();
    }

    /** Message {@code number} of a run: its number, then words that depend on it and their place. */
    static int fill(long[] words, int number, int count) {
        words[0] = (long) number << 32 | count;
        for (int i = 1; i < count; i++) {
            words[i] = number * 0x9e37_79b9_7f4a_7c15L + i;
        }
        return count;
    }

    /** The number of an intact message, -1 if any word is not what {@link #fill} made. */
    static int numberOf(long[] words, int count) {
        long[] expected = new long[count];
        int number = (int) (words[0] >>> 32);
        fill(expected, number, count);
        return Arrays.equals(words, 0, count, expected, 0, count) ? number : -1;
    }

    @Override
    public void close() {
        region.close();
    }
}
