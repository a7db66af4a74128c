package dev.bascule.wave;

import dev.bascule.agent.MessageReceiver;
import dev.bascule.agent.MessageSender;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import org.jspecify.annotations.Nullable;

/**
 * Makes the ends of queues on one side, over that side's windows; ends belong to the thread of the windows. An end of
 * the wrong type or direction is an {@link IllegalStateException}.
 */
public final class QueueEnds {
    private final QueueArea area;
    private final QueueDirection sends;
    private final Window nicOut;
    private final Window nicIn;
    private final Window hostMemory;

    private QueueEnds(QueueArea area, QueueDirection sends, Window nicOut, Window nicIn, Window hostMemory) {
        this.area = area;
        this.sends = sends;
        this.nicOut = nicOut;
        this.nicIn = nicIn;
        this.hostMemory = hostMemory;
        if (area.nicEnd() > nicOut.sizeBytes() || area.hostEnd() > hostMemory.sizeBytes()) {
            throw new IllegalArgumentException("queue area ends at " + area.nicEnd() + " of NIC memory and "
                    + area.hostEnd() + " of host memory; there are " + nicOut.sizeBytes() + " and "
                    + hostMemory.sizeBytes() + " bytes");
        }
    }

    /**
     * The host's ends.
     *
     * @param toNic NIC memory to write, best WC
     * @param fromNic NIC memory to read, best WT
     * @param memory host DMA memory
     */
    public static QueueEnds ofHost(QueueArea area, Window toNic, Window fromNic, Window memory) {
        return new QueueEnds(area, QueueDirection.TO_NIC, toNic, fromNic, memory);
    }

    /**
     * The NIC's ends.
     *
     * @param memory NIC memory
     * @param dma host DMA memory by DMA
     */
    public static QueueEnds ofNic(QueueArea area, Window memory, Window dma) {
        return new QueueEnds(area, QueueDirection.TO_HOST, memory, memory, dma);
    }

    /** The memory that the queues are made from. */
    QueueArea area() {
        return area;
    }

    Window nicOut() {
        return nicOut;
    }

    Window nicIn() {
        return nicIn;
    }

    Window hostMemory() {
        return hostMemory;
    }

    /** The queue with this id, as the directory describes it; null if there is none. For the side that did not make it. */
    public @Nullable QueueEntry find(int id) {
        return new QueueFinder(this).open(id);
    }

    /** Sending end of an MMIO queue. Messages leave with {@link #flush}. */
    public MessageSender messageSender(QueueEntry queue) {
        check(queue, QueueType.MMIO, true);
        return new MessageSender(nicOut, nicIn, queue.nicOffset() + QueueArea.CONTROL_BYTES, queue.entries(),
                queue.nicOffset(), queue.tag());
    }

    /** Receiving end of an MMIO queue. */
    public MessageReceiver messageReceiver(QueueEntry queue, TransportCounters counters) {
        check(queue, QueueType.MMIO, false);
        return new MessageReceiver(nicIn, nicOut, queue.nicOffset() + QueueArea.CONTROL_BYTES, queue.entries(),
                queue.nicOffset(), queue.tag(), counters);
    }

    /** Sending end of a DMA queue. */
    public BulkSender bulkSender(QueueEntry queue, BulkCounters counters) {
        check(queue, QueueType.DMA, true);
        boolean host = sends == QueueDirection.TO_NIC;
        return new BulkSender(hostMemory, host ? nicOut : hostMemory, host ? hostMemory : nicIn, queue.ring(area),
                counters);
    }

    /** Receiving end of a DMA queue. */
    public BulkReceiver bulkReceiver(QueueEntry queue, BulkCounters counters) {
        check(queue, QueueType.DMA, false);
        boolean host = sends == QueueDirection.TO_NIC;
        return new BulkReceiver(hostMemory, host ? hostMemory : nicIn, host ? nicOut : hostMemory, queue.ring(area),
                counters);
    }

    /** Makes everything written to MMIO queues visible. */
    public void flush() {
        nicOut.writeFence();
    }

    private void check(QueueEntry queue, QueueType type, boolean sender) {
        if (queue.type() != type || (queue.direction() == sends) != sender) {
            throw new IllegalStateException("queue " + queue.id() + " is of type " + queue.type() + " and goes "
                    + queue.direction() + "; it has no " + (sender ? "sending" : "receiving") + " end of type " + type
                    + " on this side");
        }
    }
}
