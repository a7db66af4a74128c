package dev.bascule.app;

import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;

/** Counts packets per flow in a {@link CountSketch} and passes them on; what has no ports counts as one flow. */
public final class Telemetry implements PacketProcessor {
    private final CountSketch sketch;
    private long packets;

    /** Counting into {@code sketch}. */
    public Telemetry(CountSketch sketch) {
        this.sketch = sketch;
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        packets++;
        sketch.add(Headers.hasPorts(memory, offset, lengthBytes) ? Headers.flowHash(memory, offset) : 0);
        return lengthBytes;
    }

    /** How many packets the flow of the packet at {@code offset} had, about. */
    public double estimate(MemorySegment memory, long offset) {
        return sketch.estimate(Headers.flowHash(memory, offset));
    }

    /** Packets seen. */
    public long packets() {
        return packets;
    }
}
