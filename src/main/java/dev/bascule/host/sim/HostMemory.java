package dev.bascule.host.sim;

/** Host memory that the NIC reaches by DMA: its writes arrive late, its reads are round trips. */
final class HostMemory {
    final long[] words;
    final PostedWrites fromNic = new PostedWrites();
    private boolean instant = true;

    HostMemory(long bytes) {
        words = new long[Math.toIntExact(bytes >> 3)];
    }

    void begin() {
        instant = false;
    }

    boolean isInstant() {
        return instant;
    }
}
