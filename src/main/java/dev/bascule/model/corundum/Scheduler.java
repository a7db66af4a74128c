package dev.bascule.model.corundum;

import java.util.Arrays;

/**
 * Decides which transmit queue sends next: round robin, one packet a turn, in the order in which queues became active. A
 * doorbell makes a queue active even while it or the scheduler is off; finding it empty ends that [RTL].
 */
abstract class Scheduler {
    private static final int NONE = -1;

    private final Rotation rotation;
    private final boolean[] active;
    /** Joined while the scheduler was off: hardware does not fix where the rotation starts among these. */
    private final boolean[] joinedWhileOff;
    /** The queue whose turn began with its doorbell; it already stands at the end of the rotation. */
    private int begun = NONE;

    Scheduler(int queues) {
        rotation = new Rotation(queues);
        active = new boolean[queues];
        joinedWhileOff = new boolean[queues];
    }

    /** The scheduler's own register block. */
    abstract RegisterBlock block();

    /** One word per queue. */
    abstract RegisterWindow queueWords();

    /** Whether the queue takes part: enabled and not paused. */
    abstract boolean takesPart(int queue);

    /** Whether a packet may be started now. */
    abstract boolean mayStart();

    /** Whether the scheduler itself is on. */
    abstract boolean isOn();

    /** Where its packets go: port in the upper, traffic class in the lower four bits. */
    abstract int destination();

    /** A packet was started. */
    void started(int credits) {}

    /** Transmission of a packet was reported. */
    void finished(int credits) {}

    final boolean isActive(int queue) {
        return active[queue];
    }

    final boolean isScheduled(int queue) {
        return active[queue] && takesPart(queue);
    }

    /** Whether a queue waits for its turn. */
    final boolean hasScheduled() {
        for (int i = 0; i < rotation.size(); i++) {
            if (isScheduled(rotation.at(i))) {
                return true;
            }
        }
        return false;
    }

    /**
     * The producer of an enabled queue moved. A turn takes longer than a few register writes: the first queue's begins
     * at once, and it lines up again, before doorbells written right after it count.
     */
    final void doorbell(int queue) {
        active[queue] = true;
        join(queue);
        if (begun == NONE && mayStart()) {
            begun = takeTurn();
        }
    }

    /** Lines the queue up if it takes part and has something to do; to call when that may have changed. */
    final void join(int queue) {
        if (isScheduled(queue) && !rotation.contains(queue)) {
            rotation.add(queue);
            joinedWhileOff[queue] = !isOn();
        }
    }

    /** The queue whose turn it is, or -1. */
    final int next() {
        if (!mayStart()) {
            return NONE;
        }
        if (begun != NONE) {
            int queue = begun;
            begun = NONE;
            if (isScheduled(queue)) {
                return queue;
            }
        }
        return takeTurn();
    }

    private int takeTurn() {
        while (!rotation.isEmpty()) {
            int queue = rotation.remove();
            if (isScheduled(queue)) {
                rotation.add(queue);
                joinedWhileOff[queue] = false;
                return queue;
            }
        }
        return NONE;
    }

    /** Notes that a queue was empty or disabled when its turn came. */
    final void foundEmpty(int queue) {
        active[queue] = false;
    }

    /** Moves those of {@code wanted} that joined while the scheduler was off to the front, in that order. */
    final void arrange(int[] wanted) {
        int position = 0;
        for (int queue : wanted) {
            if (queue >= 0 && queue < active.length && rotation.contains(queue) && joinedWhileOff[queue]) {
                joinedWhileOff[queue] = false;
                rotation.move(queue, position++);
            }
        }
    }

    void reset() {
        rotation.clear();
        Arrays.fill(active, false);
        Arrays.fill(joinedWhileOff, false);
        begun = NONE;
    }
}
