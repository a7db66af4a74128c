package dev.bascule.loopback;

import dev.bascule.memory.MemoryType;

/**
 * Latencies injected by the loopback link, in nanoseconds; {@link #ZERO} injects nothing and costs nothing.
 *
 * @param mmioReadUcNanos host load of device memory mapped UC, full round trip
 * @param mmioReadWcNanos the same mapped WC
 * @param mmioReadWtNanos the same mapped WT, paid per 64-byte line that is not cached
 * @param mmioWriteNanos time a host core is busy with one MMIO write (UC, WT: per store; WC: per buffer that leaves)
 * @param postedWriteNanos time from a posted write leaving the host to its arrival in device memory
 * @param dmaReadNanos device read of host memory, full round trip, paid per line
 * @param dmaWriteNanos time from a device's posted write to its arrival in host memory
 * @param msixNanos time from raising a message interrupt to its delivery
 * @param coherentLineNanos transfer of one line that the other side changed, on a coherent (CXL-like) link
 */
public record LinkProfile(long mmioReadUcNanos, long mmioReadWcNanos, long mmioReadWtNanos, long mmioWriteNanos,
        long postedWriteNanos, long dmaReadNanos, long dmaWriteNanos, long msixNanos, long coherentLineNanos) {

    /** The largest latency accepted: one second. */
    public static final long MAX_NANOS = 1_000_000_000L;

    /** No injected latency. */
    public static final LinkProfile ZERO = new LinkProfile(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Checks that every latency lies between 0 and {@link #MAX_NANOS}; {@link IllegalArgumentException} if not. */
    public LinkProfile {
        check("mmioReadUcNanos", mmioReadUcNanos);
        check("mmioReadWcNanos", mmioReadWcNanos);
        check("mmioReadWtNanos", mmioReadWtNanos);
        check("mmioWriteNanos", mmioWriteNanos);
        check("postedWriteNanos", postedWriteNanos);
        check("dmaReadNanos", dmaReadNanos);
        check("dmaWriteNanos", dmaWriteNanos);
        check("msixNanos", msixNanos);
        check("coherentLineNanos", coherentLineNanos);
    }

    private static void check(String name, long nanos) {
        if (nanos < 0 || nanos > MAX_NANOS) {
            throw new IllegalArgumentException(
                    "link profile: " + name + " is " + nanos + "; it must be between 0 and " + MAX_NANOS + " ns");
        }
    }

    /** Round trip of a host load of device memory through {@code type}; for WB the coherent line transfer. */
    public long mmioReadNanos(MemoryType type) {
        return switch (type) {
            case UC -> mmioReadUcNanos;
            case WC -> mmioReadWcNanos;
            case WT -> mmioReadWtNanos;
            case WB -> coherentLineNanos;
        };
    }

    /** Whether nothing is injected. */
    boolean isZero() {
        return equals(ZERO);
    }

    /** This profile with one MMIO read latency for UC, WC and WT. */
    public LinkProfile withMmioRead(long nanos) {
        return new LinkProfile(nanos, nanos, nanos, mmioWriteNanos, postedWriteNanos, dmaReadNanos, dmaWriteNanos,
                msixNanos, coherentLineNanos);
    }

    /** This profile with another MMIO write cost and another posted-write delay. */
    public LinkProfile withMmioWrite(long writeNanos, long postedNanos) {
        return new LinkProfile(mmioReadUcNanos, mmioReadWcNanos, mmioReadWtNanos, writeNanos, postedNanos, dmaReadNanos,
                dmaWriteNanos, msixNanos, coherentLineNanos);
    }

    /** This profile with other DMA latencies. */
    public LinkProfile withDma(long readNanos, long writeNanos) {
        return new LinkProfile(mmioReadUcNanos, mmioReadWcNanos, mmioReadWtNanos, mmioWriteNanos, postedWriteNanos,
                readNanos, writeNanos, msixNanos, coherentLineNanos);
    }

    /** This profile with another interrupt delivery time. */
    public LinkProfile withMsix(long nanos) {
        return new LinkProfile(mmioReadUcNanos, mmioReadWcNanos, mmioReadWtNanos, mmioWriteNanos, postedWriteNanos,
                dmaReadNanos, dmaWriteNanos, nanos, coherentLineNanos);
    }

    /** This profile with another transfer time of a coherent line. */
    public LinkProfile withCoherentLine(long nanos) {
        return new LinkProfile(mmioReadUcNanos, mmioReadWcNanos, mmioReadWtNanos, mmioWriteNanos, postedWriteNanos,
                dmaReadNanos, dmaWriteNanos, msixNanos, nanos);
    }
}
