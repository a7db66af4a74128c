package dev.bascule.app;

import dev.bascule.nic.PacketProcessor;
import dev.bascule.nic.PacketHeaders;
import java.lang.foreign.MemorySegment;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Counts packets per flow in a {@link CountSketch} and passes them on; what has no ports counts as one flow. */
public final class Telemetry implements PacketProcessor {
    private final CountSketch sketch;
    private final PacketHeaders headers = new PacketHeaders();
    private long packets;

    /** Counting into {@code sketch}. */
    public Telemetry(CountSketch sketch) {
        this.sketch = sketch;
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        packets++;
        sketch.add(headers.read(memory, offset, lengthBytes) ? headers.flowHash() : 0);
        return lengthBytes;
    }

    /** How many packets the flow of the packet at {@code offset} had, about; what is in {@code memory} behind it does not count. */
    public double estimate(MemorySegment memory, long offset) {
        int most = (int) Math.min(memory.byteSize() - offset, Integer.MAX_VALUE);
        return sketch.estimate(headers.read(memory, offset, most) ? headers.flowHash() : 0);
    }

    /**
     * The flow of a packet for people, as {@code 10.0.0.1:1234 > 10.0.0.2:80} or {@code [fe80:0:0:0:0:0:0:1]:1234 > ...};
     * null if it has no ports.
     */
    public static @Nullable String flowName(MemorySegment memory, long offset, int lengthBytes) {
        PacketHeaders headers = new PacketHeaders();
        if (!headers.read(memory, offset, lengthBytes)) {
            return null;
        }
        long network = offset + headers.network();
        int bytes = headers.isIpv6() ? 16 : 4;
        long source = network + (headers.isIpv6() ? 8 : 12);
        return station(memory, source, bytes, headers.sourcePort()) + " > "
                + station(memory, source + bytes, bytes, headers.destinationPort());
    }

    private static String station(MemorySegment memory, long address, int bytes, int port) {
        if (bytes == 4) {
            return Headers.u8(memory, address) + "." + Headers.u8(memory, address + 1) + "."
                    + Headers.u8(memory, address + 2) + "." + Headers.u8(memory, address + 3) + ":" + port;
        }
        return IntStream.range(0, 8).mapToObj(i -> Integer.toHexString(Headers.u16(memory, address + 2 * i)))
                .collect(Collectors.joining(":", "[", "]:" + port));
    }

    /** Packets seen. */
    public long packets() {
        return packets;
    }
}
