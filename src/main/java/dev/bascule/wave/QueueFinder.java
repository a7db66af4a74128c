package dev.bascule.wave;

import dev.bascule.memory.Window;
import org.jspecify.annotations.Nullable;

/**
 * Reads the directory on the side that does not write it. Every look reads the memory anew; lines that are stale or
 * damaged are no queues, and are counted. Belongs to one thread; for set-up, not for the hot path.
 */
final class QueueFinder {
    private final QueueArea area;
    private final Window window;
    private final long[] words = new long[8];
    private long stale;
    private long damaged;

    /** Over the windows of the side that looks: the NIC. */
    public QueueFinder(QueueEnds ends) {
        this.area = ends.area();
        this.window = ends.nicIn();
    }

    /** The queue with this id; null if there is none (any more). */
    public @Nullable QueueEntry open(int id) {
        for (int slot = 0; slot < area.queues(); slot++) {
            QueueEntry queue = read(slot);
            if (queue != null && queue.id() == id) {
                return queue;
            }
        }
        return null;
    }

    /** The queue of a target in one direction; of several that with the lowest id, null if there is none. */
    public @Nullable QueueEntry open(QueueTarget target, QueueDirection direction) {
        QueueEntry found = null;
        for (int slot = 0; slot < area.queues(); slot++) {
            QueueEntry queue = read(slot);
            if (queue != null && queue.direction() == direction && target.equals(queue.target())
                    && (found == null || queue.id() < found.id())) {
                found = queue;
            }
        }
        return found;
    }

    /** Whether an opened queue is still what it was: not destroyed, and of the same type. */
    public boolean isCurrent(QueueEntry queue) {
        QueueEntry now = open(queue.id());
        return now != null && now.tag() == queue.tag();
    }

    private @Nullable QueueEntry read(int slot) {
        long line = area.entry(slot);
        window.invalidateLine(line);
        if (!window.arrived(line)) {
            return null;
        }
        for (int i = 0; i < words.length; i++) {
            words[i] = window.loadAcquire(line + i * 8L);
        }
        QueueEntry.Refusal refusal = QueueEntry.refusal(words, line, area);
        if (refusal == null) {
            return QueueEntry.decode(words);
        }
        stale += refusal == QueueEntry.Refusal.STALE ? 1 : 0;
        damaged += refusal == QueueEntry.Refusal.DAMAGED ? 1 : 0;
        return null;
    }

    /** Entries of another epoch met so far. */
    public long stale() {
        return stale;
    }

    /** Entries met so far that were not whole or pointed where they must not. */
    public long damaged() {
        return damaged;
    }
}
