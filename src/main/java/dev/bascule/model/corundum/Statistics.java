package dev.bascule.model.corundum;

import java.util.Arrays;

/** 64-bit counters that only grow; drivers read them in two halves. */
final class Statistics implements RegisterWindow {
    static final int COUNTERS = 4096;
    static final int STRIDE = 8;

    static final int DMA_READS = 32;
    static final int DMA_READ_BYTES = 33;
    static final int DMA_WRITES = 48;
    static final int DMA_WRITE_BYTES = 49;
    private static final int IMPLEMENTED = 64;

    final long[] counter = new long[IMPLEMENTED];

    @Override
    public int read(int offset) {
        int index = offset / STRIDE;
        if (index >= IMPLEMENTED) {
            return 0;
        }
        return (int) (counter[index] >>> ((offset & 4) * 8));
    }

    @Override
    public void write(int offset, int value, int lanes) {}

    @Override
    public void reset() {
        Arrays.fill(counter, 0);
    }
}
