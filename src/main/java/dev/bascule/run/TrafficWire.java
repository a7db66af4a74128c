package dev.bascule.run;

import dev.bascule.app.Probe;
import dev.bascule.ffi.Patience;
import dev.bascule.model.WireEnd;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * A station at the far end of a loopback card's cable: sends a frame again and again, at a rate or, without one, as fast
 * as its frames come back and the card has room for them, and counts what it gets. The sums may be read by any thread.
 */
public final class TrafficWire implements WireEnd {
    /** Frames on their way without a rate: fewer than the rings hold. */
    private static final int WINDOW = 256;
    /** Without an answer for so long, frames on their way are taken to be lost; a busy machine may pause for long. */
    private static final long LOST_NANOS = 1_000_000_000;

    private final byte[][] frames;
    private final double packetsPerNano;
    private final long limit;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong returned = new AtomicLong();
    private final AtomicLong returnedElsewhere;
    private volatile long lastSentNanos;
    private volatile boolean started;
    private volatile boolean stopped;
    private boolean isPatient;
    private long startNanos;
    private long lost;
    private long lastReturned;
    private final Patience returning = new Patience(LOST_NANOS);

    /**
     * @param packetsPerSecond 0 for as fast as they come back
     * @param limit frames after which it stops, 0 for none
     * @param other the wire at whose end the frames come out, null for this one
     */
    public TrafficWire(byte[] frame, long packetsPerSecond, long limit,
            @org.jspecify.annotations.Nullable TrafficWire other) {
        this(new byte[][] { frame }, packetsPerSecond, limit, other);
    }

    /** Makes a wire that sends several frames in turn. */
    public TrafficWire(byte[][] frames, long packetsPerSecond, long limit,
            @org.jspecify.annotations.Nullable TrafficWire other) {
        this.frames = frames;
        this.packetsPerNano = packetsPerSecond / 1e9;
        isPatient = packetsPerSecond == 0;
        this.limit = limit == 0 ? Long.MAX_VALUE : limit;
        this.returnedElsewhere = other == null ? returned : other.returned;
    }

    /** Frames of as many flows as it takes for each of the queues to get some. */
    public static byte[][] flows(int lengthBytes, int queues) {
        return frames(queues, flow -> Probe.frame(lengthBytes, flow));
    }

    /** Pings of as many flows, each from an address of its own. */
    public static byte[][] pings(int lengthBytes, int queues) {
        return frames(queues, flow -> Probe.ping(lengthBytes, flow));
    }

    private static byte[][] frames(int queues, IntFunction<byte[]> frame) {
        int flows = queues == 1 ? 1 : Math.min(Probe.MOST_FLOWS, 16 * queues);
        return IntStream.range(0, flows).mapToObj(frame).toArray(byte[][]::new);
    }

    /** Begins to send: once the card's port is open, which keeps no more than a few frames before. */
    public void start() {
        startNanos = System.nanoTime();
        lastSentNanos = startNanos;
        returning.restart();
        started = true;
    }

    /** Lets frames of a rate wait for room as well; before {@link #start}. */
    public TrafficWire patient() {
        isPatient = true;
        return this;
    }

    /** Sends no more. */
    void stop() {
        stopped = true;
    }

    @Override
    public boolean transmit(byte[] data, int offset, int lengthBytes) {
        returned.setRelease(returned.getPlain() + 1);
        return true;
    }

    @Override
    public int poll(FrameSink sink, int budget) {
        if (!started || stopped) {
            return 0;
        }
        long before = sent.getPlain();
        int count = (int) Math.min(Math.min(budget, limit - before), due(before));
        if (count <= 0) {
            return 0;
        }
        int given = isPatient ? offer(sink, before, count) : give(sink, before, count);
        lastSentNanos = given > 0 ? System.nanoTime() : lastSentNanos;
        return given;
    }

    private int give(FrameSink sink, long before, int count) {
        sent.setRelease(before + count); // first: nobody has seen a frame that is not counted
        for (int i = 0; i < count; i++) {
            byte[] frame = frames[(int) ((before + i) % frames.length)];
            sink.frame(frame, 0, frame.length);
        }
        return count;
    }

    /** Gives as many as the card has room for; the others wait. */
    private int offer(FrameSink sink, long before, int count) {
        for (int i = 0; i < count; i++) {
            byte[] frame = frames[(int) ((before + i) % frames.length)];
            sent.setRelease(before + i + 1);
            if (!sink.offer(frame, 0, frame.length)) {
                sent.setRelease(before + i);
                return i;
            }
        }
        return count;
    }

    private long due(long before) {
        if (packetsPerNano != 0) {
            return (long) ((System.nanoTime() - startNanos) * packetsPerNano) - before;
        }
        long back = returnedElsewhere.getAcquire();
        long room = WINDOW - (before - lost - back);
        if (room > 0) {
            lastReturned = back;
            return room;
        }
        if (back != lastReturned) {
            lastReturned = back;
            returning.restart();
        } else if (returning.isOver()) {
            lost = before - back;
            returning.restart();
        }
        return 0;
    }

    /** Frames sent. */
    public long sent() {
        return sent.getAcquire();
    }

    /** Whether it has sent all it was to send, long ago. */
    public boolean isSilent() {
        return sent() >= limit && System.nanoTime() - lastSentNanos > Drain.SILENT_NANOS;
    }

    /** Frames that came out here. */
    public long returned() {
        return returned.getAcquire();
    }
}
