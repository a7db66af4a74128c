package dev.bascule.app;

import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

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

    /** The flow of the packet at {@code offset} for people, as {@code 10.0.0.1:1234 > 10.0.0.2:80}; null if it has no ports. */
    public static @Nullable String flowName(MemorySegment memory, long offset, int lengthBytes) {
        return Headers.hasPorts(memory, offset, lengthBytes)
                ? station(memory, offset + Headers.SOURCE_IP, offset + Headers.SOURCE_PORT) + " > "
                        + station(memory, offset + Headers.DESTINATION_IP, offset + Headers.DESTINATION_PORT)
                : null;
    }

    private static String station(MemorySegment memory, long address, long port) {
        return Headers.u8(memory, address) + "." + Headers.u8(memory, address + 1) + "."
                + Headers.u8(memory, address + 2) + "." + Headers.u8(memory, address + 3) + ":"
                + Headers.u16(memory, port);
    }

    /** Packets seen. */
    public long packets() {
        return packets;
    }
}
