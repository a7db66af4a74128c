package dev.bascule.model.corundum;

import dev.bascule.device.DmaAccess;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The device's DMA engine: cuts addresses to the design's width, counts operations, tells the observer. */
final class Dma {
    private final DmaAccess memory;
    private final long addressMask;
    private final Statistics statistics;
    final FrameCause cause;
    final @Nullable CorundumObserver observer;
    private long faults;

    Dma(DmaAccess memory, long addressMask, Statistics statistics, FrameCause cause,
            @Nullable CorundumObserver observer) {
        this.memory = memory;
        this.addressMask = addressMask;
        this.statistics = statistics;
        this.cause = cause;
        this.observer = observer;
    }

    /** Accesses that host memory refused. */
    long faults() {
        return faults;
    }

    boolean readDescriptors(boolean transmit, int queue, long address, MemorySegment to, int lengthBytes) {
        long masked = address & addressMask;
        if (observer != null) {
            observer.descriptorRead(transmit, queue, masked, lengthBytes, cause.current);
        }
        return read(masked, to, 0, lengthBytes);
    }

    boolean readData(int queue, long address, MemorySegment to, int toOffset, int lengthBytes) {
        long masked = address & addressMask;
        if (observer != null) {
            observer.dataRead(queue, masked, lengthBytes, cause.current);
        }
        return read(masked, to, toOffset, lengthBytes);
    }

    void writeData(int queue, long address, byte[] data, MemorySegment segment, int offset, int lengthBytes) {
        long masked = address & addressMask;
        if (observer != null) {
            observer.dataWritten(queue, masked, data, offset, lengthBytes, cause.current);
        }
        write(masked, segment, offset, lengthBytes);
    }

    void writeRecord(boolean events, int queue, long address, byte[] record, MemorySegment segment) {
        long masked = address & addressMask;
        if (observer != null) {
            observer.recordWritten(events, queue, masked, record, cause.current);
        }
        write(masked, segment, 0, record.length);
    }

    private boolean read(long address, MemorySegment to, int toOffset, int lengthBytes) {
        long begun = statistics.begin();
        boolean done = memory.read(address, to, toOffset, lengthBytes);
        statistics.dma(Statistics.DMA_READS, address, lengthBytes, done, begun);
        if (!done) {
            faults++;
        }
        return done;
    }

    private void write(long address, MemorySegment from, int fromOffset, int lengthBytes) {
        long begun = statistics.begin();
        boolean done = memory.write(address, from, fromOffset, lengthBytes);
        statistics.dma(Statistics.DMA_WRITES, address, lengthBytes, done, begun);
        if (!done) {
            faults++;
        }
    }
}
