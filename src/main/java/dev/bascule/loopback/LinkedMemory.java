package dev.bascule.loopback;

import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A memory on one side of a link that the other side reaches through a {@link LinkProfile}. Opens the windows of both
 * sides: one per thread, all on the same memory. With a delay of posted writes the memory has a shadow area with the
 * arrival time of each line; without one there is none.
 * <p>
 * Thread rule: this object may be shared; each window belongs to one thread. Owner of the memory: the caller's arena.
 */
public final class LinkedMemory {
    private final MemorySegment data;
    private final @Nullable PinnedMemory pinned;
    private final LinkProfile profile;
    private final @Nullable ArrivalTimes posted;
    private final @Nullable ArrivalTimes dmaPosted;

    /**
     * @param data the memory, 64-byte aligned, a multiple of 64 bytes long
     * @param shadow {@link #shadowBytes} bytes, zeroed at first use, 8-byte aligned; null without any delay
     * @param profile the link's latencies
     * @throws IllegalArgumentException when sizes or alignment do not fit
     */
    LinkedMemory(MemorySegment data, @Nullable MemorySegment shadow, LinkProfile profile) {
        this(data, null, shadow, profile);
    }

    /** Linked memory on pinned memory, whose owner's windows work by address. */
    public LinkedMemory(PinnedMemory data, @Nullable MemorySegment shadow, LinkProfile profile) {
        this(data.segment(), data, shadow, profile);
    }

    private LinkedMemory(MemorySegment data, @Nullable PinnedMemory pinned, @Nullable MemorySegment shadow,
            LinkProfile profile) {
        if (data.byteSize() == 0 || data.byteSize() % Window.LINE_BYTES != 0) {
            throw new IllegalArgumentException(
                    "a memory of " + data.byteSize() + " bytes is not a positive multiple of 64");
        }
        if (data.isNative() && data.address() % Window.LINE_BYTES != 0) {
            throw new IllegalArgumentException("a memory behind a link must start on a 64-byte line");
        }
        long needed = data.byteSize() / Window.LINE_BYTES * Long.BYTES;
        boolean delayed = profile.postedWriteNanos() > 0 || profile.dmaWriteNanos() > 0;
        if (delayed && (shadow == null || shadow.byteSize() < needed)) {
            throw new IllegalArgumentException("delayed writes need a shadow area of " + needed + " bytes");
        }
        this.data = data;
        this.pinned = pinned;
        this.profile = profile;
        this.posted = arrivals(shadow, profile.postedWriteNanos());
        this.dmaPosted = arrivals(shadow, profile.dmaWriteNanos());
    }

    private static @Nullable ArrivalTimes arrivals(@Nullable MemorySegment shadow, long delayNanos) {
        return shadow == null || delayNanos == 0 ? null : new ArrivalTimes(shadow, delayNanos);
    }

    /** A new zeroed memory with its shadow, where the profile needs one, in {@code arena}. */
    static LinkedMemory allocate(Arena arena, long sizeBytes, LinkProfile profile) {
        long shadowBytes = shadowBytes(sizeBytes, profile);
        MemorySegment data = arena.allocate(sizeBytes, Window.LINE_BYTES);
        return new LinkedMemory(data, shadowBytes == 0 ? null : arena.allocate(shadowBytes, Window.LINE_BYTES),
                profile);
    }

    /** Bytes of shadow area a memory needs: 0 without delayed writes, else 8 per line. */
    public static long shadowBytes(long sizeBytes, LinkProfile profile) {
        boolean delayed = profile.postedWriteNanos() > 0 || profile.dmaWriteNanos() > 0;
        return delayed ? sizeBytes / Window.LINE_BYTES * Long.BYTES : 0;
    }

    /** The memory itself, for its owner. */
    public MemorySegment segment() {
        return data;
    }

    /** The link's latencies. */
    public LinkProfile profile() {
        return profile;
    }

    /**
     * A window of the CPU across the link.
     *
     * @param type how it maps the memory
     * @param seed decides what hardware leaves open (WC eviction, order of pieces)
     */
    public Window host(MemoryType type, long seed) {
        return switch (type) {
            case UC -> new UcWindow(data, posted, profile);
            case WC -> new WcWindow(data, posted, profile, seed, WcWindow.DEFAULT_BUFFERS);
            case WT -> new WtWindow(data, posted, profile, seed);
            case WB -> profile.coherentLineNanos() > 0
                    ? new CoherentWindow(data, profile.coherentLineNanos())
                    : direct();
        };
    }

    /** A write-combining window with a chosen number of buffers (1 to 64). */
    public Window hostWriteCombining(long seed, int buffers) {
        return new WcWindow(data, posted, profile, seed, buffers);
    }

    /** A window of the cores that own the memory; its {@code arrived} waits for posted and DMA writes. */
    public Window owner() {
        ArrivalTimes arrivals = posted != null ? posted : dmaPosted;
        return arrivals == null ? direct() : new WriteBackWindow(direct(), arrivals);
    }

    private Window direct() {
        return pinned == null ? new DirectWindow(data) : new PinnedWindow(pinned);
    }

    /**
     * A window of a device that reaches this memory by DMA, limited to mapped ranges.
     *
     * @param ranges what the owner has mapped; offset 0 of the window is offset 0 of the ranges
     */
    public DmaWindow dma(MappedRanges ranges, long seed) {
        return new DmaWindow(data, dmaPosted, profile, ranges, seed);
    }
}
