package dev.bascule.study.lauberhorn;

import dev.bascule.model.corundum.CorundumObserver;
import java.util.concurrent.atomic.LongAdder;

/** Counts what Corundum's model does over the interconnect: DMA operations and interrupts. Thread rule: any thread. */
final class CardTransactions implements CorundumObserver {
    private final LongAdder count = new LongAdder();

    long count() {
        return count.sum();
    }

    @Override
    public void descriptorRead(boolean transmit, int queue, long address, int lengthBytes, long cause) {
        count.increment();
    }

    @Override
    public void dataRead(int queue, long address, int lengthBytes, long cause) {
        count.increment();
    }

    @Override
    public void dataWritten(int queue, long address, byte[] data, int offset, int lengthBytes, long cause) {
        count.increment();
    }

    @Override
    public void recordWritten(boolean events, int queue, long address, byte[] record, long cause) {
        count.increment();
    }

    @Override
    public void transmitted(int port, byte[] data, int offset, int lengthBytes, long cause) {
        // the wire is not the interconnect
    }

    @Override
    public void interrupted(int vector, long cause) {
        count.increment();
    }
}
