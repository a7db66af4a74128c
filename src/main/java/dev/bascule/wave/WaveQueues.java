package dev.bascule.wave;

import dev.bascule.agent.region.RegionLayout;
import dev.bascule.memory.Window;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Wave's queue calls, made by the host: CREATE_QUEUE is {@link #create}, SET_QUEUE_TYPE {@link #setType},
 * ASSOC_QUEUE_WITH {@link #associate}, DESTROY_QUEUE {@link #destroy}. The directory of queues lies in NIC memory and is
 * written by the host only; the NIC opens queues with a {@link QueueFinder}, both make their ends with
 * {@link QueueEnds}.
 * <p>
 * A queue that was destroyed, or whose type changed, has lost its old ends: its lines carry a tag that is not used again
 * within the epoch, so what a late writer leaves in memory that has another use by now is damage, never a message. The
 * host keeps its own copy of the directory and believes nothing it reads there.
 * <p>
 * A bulk queue from host to NIC, and what both sides do with it:
 *
 * <pre>{@code
 * // host                                                  // NIC
 * int id = queues.create(TO_NIC, 64);                      QueueEntry queue = finder.open(agent, TO_NIC);
 * queues.setType(id, DMA);                                 BulkReceiver in = nicEnds.bulkReceiver(queue, counters);
 * queues.associate(id, agent);                             long[] words = new long[in.maxWords()];
 * BulkSender out = hostEnds.bulkSender(queues.open(id), counters);
 * out.send(page, 0, page.length);                          int count = in.receive(words); // 0: nothing yet
 * out.commit();
 * }</pre>
 *
 * Thread rule: one thread. Errors: a queue that does not exist is an {@link IllegalArgumentException}; no room an
 * {@link IllegalStateException}.
 */
public final class WaveQueues {
    private static final int TAGS = 0xffff;

    private final QueueArea area;
    private final Window directory;
    private final Window hostMemory;
    private final @Nullable QueueEntry[] queues;
    private final Extents nicSpace;
    private final Extents hostSpace;
    private final long[] words = new long[8];
    private int lastId;
    private int lastTag;

    /** An empty directory; what an earlier epoch left there is gone. */
    public WaveQueues(QueueEnds host) {
        area = host.area();
        directory = host.nicOut();
        hostMemory = host.hostMemory();
        queues = new QueueEntry[area.queues()];
        nicSpace = new Extents(area.nicFirst(), area.nicEnd());
        hostSpace = new Extents(area.hostOffset(), area.hostEnd());
        refresh();
    }

    /**
     * A new queue of type MMIO without a target.
     *
     * @param entries messages it holds, a power of two
     * @return its id
     */
    public int create(QueueDirection direction, int entries) {
        if (entries < 2 || entries > QueueArea.MAX_ENTRIES || Integer.bitCount(entries) != 1) {
            throw new IllegalArgumentException("create queue: " + entries
                    + " entries; it must be a power of two from 2 to " + QueueArea.MAX_ENTRIES);
        }
        int slot = Arrays.asList(queues).indexOf(null);
        if (slot < 0) {
            throw new IllegalStateException("create queue: all " + area.queues() + " are in use; destroy one first");
        }
        int tag = nextTag();
        long nic = nicSpace.take(area.nicNeeded(entries));
        if (nic < 0) {
            throw new IllegalStateException(
                    "create queue: no " + area.nicNeeded(entries) + " bytes of NIC memory left");
        }
        RegionLayout.clear(directory, nic, area.nicNeeded(entries));
        write(slot, new QueueEntry(++lastId, tag, direction, QueueType.MMIO, entries, nic, 0, null));
        return lastId;
    }

    /** Changes how messages travel; ends made before are worth nothing any more and messages in them are lost. */
    public void setType(int id, QueueType type) {
        int slot = slot("set type", id);
        QueueEntry queue = queue(slot);
        if (queue.type() == type) {
            return;
        }
        int tag = nextTag();
        long host = 0;
        if (type == QueueType.DMA) {
            long bytes = area.hostNeeded(type, queue.entries());
            host = hostSpace.take(bytes);
            if (host < 0) {
                throw new IllegalStateException("set type of queue " + id + ": no " + bytes
                        + " bytes of host DMA memory left");
            }
            RegionLayout.clear(hostMemory, host, QueueArea.ringBytes(queue.entries()));
        } else {
            hostSpace.give(queue.hostOffset());
        }
        RegionLayout.clear(directory, queue.nicOffset(), area.nicNeeded(queue.entries()));
        write(slot, new QueueEntry(id, tag, queue.direction(), type, queue.entries(), queue.nicOffset(), host,
                queue.target()));
    }

    /** Gives the queue to a target, in place of an earlier one. Ends stay valid. */
    public void associate(int id, QueueTarget target) {
        int slot = slot("associate", id);
        QueueEntry queue = queue(slot);
        write(slot, new QueueEntry(id, queue.tag(), queue.direction(), queue.type(), queue.entries(), queue.nicOffset(),
                queue.hostOffset(), target));
    }

    /** Takes the queue out of the directory and its memory back. */
    public void destroy(int id) {
        int slot = slot("destroy", id);
        QueueEntry queue = queue(slot);
        write(slot, null);
        nicSpace.give(queue.nicOffset());
        if (queue.type() == QueueType.DMA) {
            hostSpace.give(queue.hostOffset());
        }
    }

    /** The queue as it is now, for this side's ends. */
    public QueueEntry open(int id) {
        return queue(slot("open", id));
    }

    /** Writes the whole directory again: for lines that the link lost or someone overwrote. */
    public void refresh() {
        for (int slot = 0; slot < queues.length; slot++) {
            write(slot, queues[slot]);
        }
    }

    private void write(int slot, @Nullable QueueEntry queue) {
        queues[slot] = queue;
        long line = area.entry(slot);
        if (queue == null) {
            QueueEntry.encodeEmpty(area.epoch(), line, words);
        } else {
            queue.encode(area.epoch(), line, words);
        }
        for (int i = 0; i < words.length; i++) {
            directory.storeRelease(line + i * 8L, words[i]);
        }
        directory.writeFence();
    }

    private int nextTag() {
        if (lastTag == TAGS) {
            throw new IllegalStateException("all " + TAGS + " queue tags of epoch " + area.epoch()
                    + " were used; start a new epoch");
        }
        lastTag++;
        return lastTag ^ area.epoch() & TAGS; // one to one within an epoch
    }

    private QueueEntry queue(int slot) {
        QueueEntry queue = queues[slot];
        if (queue == null) {
            throw new IllegalStateException("no queue in slot " + slot);
        }
        return queue;
    }

    private int slot(String step, int id) {
        for (int slot = 0; slot < queues.length; slot++) {
            QueueEntry queue = queues[slot];
            if (queue != null && queue.id() == id) {
                return slot;
            }
        }
        throw new IllegalArgumentException(step + " queue " + id + ": there is no such queue");
    }
}
