package dev.bascule.app.enso;

import dev.bascule.host.TimeHistogram;
import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.TxPipe;
import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoGroup;
import dev.bascule.nic.enso.EnsoNic;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A packet generator on an Ensō NIC, after EnsōGen: frames leave in chunks of many packets at the rate the card's limiter
 * keeps, carry the card's time, and come back on fallback pipes in turn, where the card has replaced the time by the
 * round trip. One thread: {@link #step} until {@link #isDone}.
 */
public final class EnsoGenerator implements AutoCloseable {
    /** Length of a cycle of the card's clock, ns. */
    public static final int CYCLE_NANOS = 5;

    /** Round trips are exact up to 2^17 cycles, 655 us, and to five digits above. */
    private static final int CYCLE_BITS = 16;
    private static final int CHUNK_BYTES = 65_536;
    private static final double RATE_TOLERANCE = 1.0 / 5000;
    private static final int MOST_CYCLES = 65_535;
    private static final ValueLayout.OfInt STAMP = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final EnsoNic nic;
    private final EnsoGroup group;
    private final TxPipe out;
    private final List<RxPipe> in = new ArrayList<>();
    private final MemorySegment stream;
    private final long[] ends;
    private final TimeHistogram rtt = new TimeHistogram(CYCLE_BITS, 0xFFFF_FFFFL);
    private final long limit;
    private long sent;
    private long received;
    private long receivedBytes;
    private long malformed;

    /**
     * @param frames IPv4 frames of at most 1518 bytes, sent in turn
     * @param pipes receiving pipes, a power of two
     * @param limit packets to send
     */
    EnsoGenerator(EnsoNic nic, List<byte[]> frames, int pipes, long limit) {
        if (frames.isEmpty() || pipes < 1 || Integer.bitCount(pipes) != 1) {
            throw new IllegalArgumentException(
                    frames.size() + " frames, " + pipes + " pipes; at least one frame and a power of two of pipes");
        }
        this.nic = nic;
        this.limit = limit;
        long once = frames.stream().mapToLong(frame -> PacketFormat.padded(frame.length)).sum();
        int times = (int) Math.max(1, CHUNK_BYTES / once); // a small list several times, so that chunks are full
        stream = Arena.ofAuto().allocate(once * times, RxPipe.QUANTUM_BYTES);
        ends = new long[frames.size() * times];
        long used = 0;
        for (int i = 0; i < ends.length; i++) {
            byte[] frame = frames.get(i % frames.size());
            MemorySegment.copy(frame, 0, stream, ValueLayout.JAVA_BYTE, used, frame.length);
            used += PacketFormat.padded(frame.length);
            ends[i] = used;
        }
        group = nic.openGroup();
        for (int i = 0; i < pipes; i++) {
            in.add(group.openFallbackRx());
        }
        out = group.openTx();
        nic.timeStamping(true);
        nic.roundRobin(true);
    }

    /** Sends {@code share} of the line rate of one flit per cycle, above 0 to 1, to about one part in 5000. */
    void rate(double share) {
        if (!(share > 0) || share > 1) {
            throw new IllegalArgumentException("rate: " + share + " of the line rate; above 0, at most 1");
        }
        // The limiter sends a period's flits in one burst, so the shortest period that is exact enough is the smoothest.
        for (int cycles = 1;; cycles++) {
            int flits = Math.max(1, (int) Math.round(share * cycles));
            if (Math.abs((double) flits / cycles - share) <= share * RATE_TOLERANCE || cycles == MOST_CYCLES) {
                nic.rateLimit(Math.min(flits, cycles), cycles);
                return;
            }
        }
    }

    /** Sends what fits and takes what came; says how many packets moved. */
    int step() {
        return send() + receive();
    }

    private int send() {
        int first = (int) (sent % ends.length);
        long start = first == 0 ? 0 : ends[first - 1];
        long most = Math.min(CHUNK_BYTES, out.available());
        int limitHere = (int) Math.min(ends.length, first + (limit - sent));
        int last = first;
        while (last < limitHere && ends[last] - start <= most) {
            last++;
        }
        if (last == first) {
            return 0;
        }
        long bytes = ends[last - 1] - start;
        MemorySegment.copy(stream, start, out.memory(), out.offset(), bytes);
        if (out.send(bytes) != bytes) {
            return 0; // no room for a request: nothing was taken
        }
        sent += last - first;
        return last - first;
    }

    private int receive() {
        int packets = 0;
        for (RxPipe pipe = group.next(); pipe != null; pipe = group.next()) {
            packets += take(pipe);
        }
        return packets;
    }

    private int take(RxPipe pipe) {
        MemorySegment memory = pipe.memory();
        long at = pipe.offset();
        long available = pipe.peek();
        long end = at + available;
        int packets = 0;
        while (at < end) {
            int length = PacketFormat.packetBytes(memory, at, end - at);
            long next = PacketFormat.next(memory, at, length, end);
            if (next < 0) {
                malformed++;
                at = ~next;
                continue;
            }
            rtt.record(Integer.toUnsignedLong(memory.get(STAMP, at + EnsoFormats.DEFAULT_TIMESTAMP_OFFSET)));
            receivedBytes += length;
            packets++;
            at = next;
        }
        pipe.confirm(available);
        pipe.free(pipe.heldBytes());
        received += packets;
        return packets;
    }

    /** Whether all packets were sent and the card has read them. */
    boolean isDone() {
        return sent == limit && out.pendingBytes() == 0;
    }

    /** Packets sent. */
    public long sent() {
        return sent;
    }

    /** Packets that came back. */
    public long received() {
        return received;
    }

    /** Bytes that came back, without FCS. */
    public long receivedBytes() {
        return receivedBytes;
    }

    /** Batches whose rest was no packet. */
    public long malformed() {
        return malformed;
    }

    /** Round trips of all that came back, in cycles of {@link #CYCLE_NANOS}. */
    public TimeHistogram rtt() {
        return rtt;
    }

    @Override
    public void close() {
        nic.timeStamping(false);
        nic.noRateLimit();
        group.close();
    }
}
