package dev.bascule.nic.enso;

import org.jspecify.annotations.Nullable;

/** Pipes in the order in which they were announced; each at most once, so that it never fills. One thread. */
final class PipeQueue {
    private final @Nullable EnsoRxPipe[] slots;
    private int first;
    private int size;

    PipeQueue(int capacity) {
        slots = new EnsoRxPipe[capacity];
    }

    /** This one, or a larger one with the same content. */
    PipeQueue atLeast(int capacity) {
        if (capacity <= slots.length) {
            return this;
        }
        PipeQueue larger = new PipeQueue(2 * capacity);
        for (EnsoRxPipe pipe = poll(); pipe != null; pipe = poll()) {
            larger.add(pipe);
        }
        return larger;
    }

    void add(EnsoRxPipe pipe) {
        int at = first + size;
        slots[at < slots.length ? at : at - slots.length] = pipe;
        size++;
    }

    @Nullable
    EnsoRxPipe poll() {
        if (size == 0) {
            return null;
        }
        EnsoRxPipe pipe = slots[first];
        slots[first] = null;
        first = first + 1 == slots.length ? 0 : first + 1;
        size--;
        return pipe;
    }

    void remove(EnsoRxPipe gone) {
        for (int left = size; left > 0; left--) {
            EnsoRxPipe pipe = poll();
            if (pipe != null && pipe != gone) {
                add(pipe);
            }
        }
    }
}
