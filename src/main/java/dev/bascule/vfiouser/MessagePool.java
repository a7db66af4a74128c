package dev.bascule.vfiouser;

import java.util.ArrayDeque;
import java.util.Deque;

/** Messages to be used again, so that a register access allocates little. Any thread. */
final class MessagePool {
    private static final int POOLED = 4;
    private static final int POOLED_BYTES = 1 << 16;

    private final Deque<Message> free = new ArrayDeque<>();

    synchronized Message take() {
        Message message = free.poll();
        return message == null ? new Message() : message;
    }

    /** Takes a message back; its descriptors are closed. */
    void give(Message message) {
        message.close();
        synchronized (this) {
            if (free.size() < POOLED && message.capacityBytes() <= POOLED_BYTES) {
                free.add(message);
            }
        }
    }
}
