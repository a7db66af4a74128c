package dev.bascule.model.enso.backend;

import dev.bascule.nic.enso.EnsoRegisters;

/**
 * Allocations that the kernel module of real hardware keeps for all programs: ids in use, fallback count, round-robin
 * flag.
 */
final class Allocations {
    final Ids pipes = new Ids(EnsoRegisters.PIPES);
    final Ids notificationBuffers = new Ids(EnsoRegisters.NOTIFICATION_BUFFERS);
    long fallbackPipes;
    boolean roundRobin;

    void clear() {
        pipes.clear();
        notificationBuffers.clear();
        fallbackPipes = 0;
        roundRobin = false;
    }
}
