package dev.bascule.app.judge;

import dev.bascule.nic.NicCapabilities;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;
import dev.bascule.ring.IdleStrategy;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Frames from one end of a link to the other, each compared when it arrives: its bytes, its length, that it came once and
 * in the order of its queues, and the card's checksum. One thread serves all queues.
 */
final class Traffic {
    /** Fewer bytes under way than a card's smallest FIFO holds. */
    private static final int WINDOW_BYTES = 1 << 15;
    private static final int BURST = 16;

    /** Gets each frame that arrived and was right. */
    @FunctionalInterface
    interface Arrival {
        void at(int queue, long number, PacketBatch batch, int entry);
    }

    private final Bench bench;
    private final Link link;
    private final Frames frames;
    private final int life;
    private final NicCapabilities capabilities;
    private final PacketBatch sending = new PacketBatch(BURST);
    private final PacketBatch polled = new PacketBatch(128);
    private final byte[] expected;
    private byte[] got = new byte[2048];
    private final IdleStrategy idle = IdleStrategy.spinThenPark(1_000, 20_000);
    private final BitSet arrived = new BitSet();
    private short[] queueOf = new short[1024];
    private long[][] newest = {};
    private final int window;
    private long sent;
    private long missing;
    private long forgivenBelow;
    private long received;
    private long strangers;
    private long former;
    private int turn;
    private boolean asksForChecksums;
    private boolean held;
    private int givenBack;
    private @Nullable Arrival arrival;
    private @Nullable List<Fault> faults;

    /** @param life which tells its frames from those of earlier traffic on the same cable */
    Traffic(Bench bench, Link link, Frames frames, int life) {
        this.bench = bench;
        this.link = link;
        this.frames = frames;
        this.life = life & 0xFF;
        this.capabilities = link.far().capabilities();
        this.expected = new byte[frames.longest()];
        this.window = Math.clamp(WINDOW_BYTES / frames.longest(), 2, link.ringEntries() / 4);
    }

    /** The card is to insert the checksums of UDP and TCP. */
    Traffic askingForChecksums() {
        asksForChecksums = true;
        return this;
    }

    /** Frames that arrived wrong are noted there from now on, and do not end the part. */
    void collect(List<Fault> all) {
        faults = all;
    }

    void onArrival(Arrival what) {
        arrival = what;
    }

    long sent() {
        return sent;
    }

    long received() {
        return received;
    }

    /** Sent, not arrived, and not forgiven. */
    long missing() {
        return missing;
    }

    /** Frames sent so far may be lost. */
    void forgive() {
        forgivenBelow = sent;
        missing = 0;
        newest = new long[0][];
    }

    /** Sends so many, no more than rings hold at a time, and waits until all have arrived. */
    void exchange(long count) {
        long end = sent + count;
        BooleanSupplier step = () -> {
            boolean moved = false;
            if (sent < end && missing < window) {
                moved = send((int) Math.min(end - sent, window - missing)) > 0;
            }
            return poll() > 0 || moved;
        };
        await(step, () -> sent == end && missing() == 0, bench.plan().patienceNanos());
        if (missing() > 0) {
            throw new Fault(missingText());
        }
        if (sent < end) {
            throw new Fault("the card took no frame for " + bench.patience() + ": " + sent + " sent of " + end);
        }
    }

    private String missingText() {
        int first = arrived.nextClearBit((int) forgivenBelow);
        Map<String, Long> losses = link.losses();
        return "%,d of %,d frames did not arrive within %s, the first of them number %d (%s, queue %d)".formatted(
                missing(),
                sent - forgivenBelow, bench.patience(), first, frames.kind(first).text(), queueOf[first])
                + (strangers == 0 ? "" : "; " + strangers + " came that were never sent")
                + (losses.isEmpty()
                        ? "; no counter of the port tells of it"
                        : "; counted by the port: " + Link.text(losses));
    }

    /** Polls until nothing has come for so long, or all has. */
    void drain(long quietNanos) {
        await(() -> poll() > 0, () -> missing() == 0, quietNanos);
    }

    /** Sends so many frames and polls none, so that rings run dry; waits until they have left. */
    void sendUnpolled(long count, long quietNanos) {
        long end = sent + count;
        await(() -> {
            int before = inFlight();
            boolean moved = sent < end && send((int) Math.min(end - sent, window)) > 0;
            reclaim();
            return moved || inFlight() != before;
        }, () -> sent == end && inFlight() == 0, quietNanos);
        bench.history().note(
                "sent " + (sent - end + count) + " frames without a poll, of " + frames.shortest() + " bytes and more");
    }

    /** Waits, without a poll, until the card has sent all it was given. */
    void awaitSent(long quietNanos) {
        sendUnpolled(0, quietNanos);
    }

    private int inFlight() {
        int sum = 0;
        for (int i = 0; i < link.near().txQueues(); i++) {
            sum += link.near().txQueue(i).inFlight();
        }
        return sum;
    }

    private void reclaim() {
        for (int i = 0; i < link.near().txQueues(); i++) {
            link.near().txQueue(i).reclaim();
        }
    }

    private void await(BooleanSupplier step, BooleanSupplier done, long quietNanos) {
        long last = System.nanoTime();
        while (!done.getAsBoolean()) {
            bench.checkStop(this);
            boolean moved = step.getAsBoolean();
            idle.idle(moved ? 1 : 0);
            long now = System.nanoTime();
            last = moved ? now : last;
            if (now - last > quietNanos) {
                return;
            }
        }
    }

    /** Sends up to so many frames, on one queue after the other, and waits for nothing; returns how many. */
    int send(int most) {
        int total = 0;
        while (total < most) {
            TxQueue queue = link.near().txQueue(turn++ % link.near().txQueues());
            int count = queue.allocate(sending, Math.min(most - total, BURST));
            if (count == 0) {
                queue.reclaim();
                return total;
            }
            total += sendBurst(queue, count);
        }
        return total;
    }

    /** Writes up to so many frames, which leave once {@code first} is done. */
    void sendAfter(int most, Runnable first) {
        held = true;
        send(most);
        held = false;
        first.run();
        for (int i = 0; i < link.near().txQueues(); i++) {
            link.near().txQueue(i).commit();
        }
        bench.history().note("rang the doorbell");
    }

    private int sendBurst(TxQueue queue, int count) {
        for (int i = 0; i < count; i++) {
            fill(i, sent + i);
        }
        int written = queue.write(sending);
        int taken = count - sending.size();
        sending.release();
        if (!held) {
            queue.commit();
        }
        if (written != taken) {
            throw new Fault("the driver refused " + (taken - written) + " of the frames " + sent + " to "
                    + (sent + taken - 1) + ", of kinds that it had taken before");
        }
        if (sent + taken > queueOf.length) {
            queueOf = Arrays.copyOf(queueOf, Math.max(2 * queueOf.length, (int) sent + taken));
        }
        Arrays.fill(queueOf, (int) sent, (int) sent + taken, (short) queue.index());
        if (taken > 0) {
            bench.history().burst("sent frames " + sent + " to " + (sent + taken - 1) + " on queue " + queue.index());
        }
        sent += taken;
        missing += taken;
        return taken;
    }

    private void fill(int entry, long number) {
        int length = frames.write(life, number, expected);
        FrameKind kind = frames.kind(number);
        if (asksForChecksums && kind.transportAt() > 0) {
            kind.askForChecksum(expected, length);
        }
        MemorySegment.copy(expected, 0, sending.memory().segment(), ValueLayout.JAVA_BYTE, sending.offset(entry),
                length);
        sending.setLength(entry, length);
        if (asksForChecksums && kind.transportAt() > 0) {
            sending.requestChecksum(entry, kind.transportAt(), kind.checksumAt());
        }
    }

    /** Takes what has arrived on all queues, and gives sent buffers back; returns how many frames came. */
    int poll() {
        int count = 0;
        for (int i = 0; i < link.far().rxQueues(); i++) {
            RxQueue queue = link.far().rxQueue(i);
            if (queue.poll(polled) > 0) {
                count += take(queue.index());
            }
        }
        reclaim();
        pushBuffers(count);
        return count;
    }

    /** A read makes the doorbells behind it arrive: on a slow machine frames would come sooner than room for them. */
    private void pushBuffers(int count) {
        givenBack += count;
        if (givenBack >= link.ringEntries() / 2) {
            givenBack = 0;
            link.far().check();
        }
    }

    private int take(int queue) {
        int count = 0;
        try {
            for (int i = 0, first = 0; i < polled.size(); i++) {
                if (!polled.hasMore(i)) {
                    judge(queue, first, gather(first, i));
                    count++;
                    first = i + 1;
                }
            }
        } finally {
            polled.release();
        }
        bench.history().burst("polled queue " + queue + ": " + count + " frames, " + received + " so far");
        return count;
    }

    private void judge(int queue, int entry, int length) {
        try {
            accept(queue, entry, length);
        } catch (Fault fault) {
            if (faults == null) {
                throw fault;
            }
            faults.add(fault);
        }
    }

    private int gather(int first, int last) {
        int length = 0;
        for (int i = first; i <= last; i++) {
            int part = polled.length(i);
            if (length + part > got.length) {
                got = Arrays.copyOf(got, 2 * (length + part));
            }
            MemorySegment.copy(polled.memory().segment(), ValueLayout.JAVA_BYTE, polled.offset(i), got, length, part);
            length += part;
        }
        return length;
    }

    private void accept(int queue, int entry, int length) {
        if (!Frames.isOurs(got, length)) {
            strangers++;
            bench.history().burst("queue " + queue + " got a frame of " + length + " bytes that was never sent: "
                    + Bytes.row(got, length, 0));
            return;
        }
        if (Frames.life(got) != life) {
            former++;
            return;
        }
        long number = Frames.number(got);
        if (number >= sent) {
            throw new Fault("frame " + number + " arrived, and only " + sent + " were sent",
                    List.of("got      " + Bytes.row(got, length, 0)));
        }
        compare(queue, number, length);
        if (arrived.get((int) number)) {
            throw new Fault(
                    "frame " + number + " (" + frames.kind(number).text() + ") arrived twice, now on queue " + queue);
        }
        checkSum(number, entry, length);
        checkOrder(queue, number);
        arrived.set((int) number);
        received++;
        missing -= number >= forgivenBelow ? 1 : 0;
        if (arrival != null) {
            arrival.at(queue, number, polled, entry);
        }
    }

    private void compare(int queue, long number, int length) {
        int whole = frames.write(life, number, expected);
        FrameKind kind = frames.kind(number);
        boolean withoutPadding = length < whole && length == kind.contentBytes(whole);
        int at = Arrays.mismatch(expected, 0, withoutPadding ? length : whole, got, 0, length);
        if (at < 0) {
            return;
        }
        List<String> rows = new ArrayList<>();
        for (int row = Math.max(0, Bytes.rowOf(at) - 16); row <= Bytes.rowOf(at) + 16; row += 16) {
            rows.add("expected " + Bytes.row(expected, whole, row));
            rows.add("got      " + Bytes.row(got, length, row));
        }
        String what = at == length || at == whole
                ? "is as sent up to there, and " + (length < whole ? "cut" : "longer")
                : "differs";
        throw new Fault(
                "frame %d (%s, %d bytes, sent on queue %d) %s at byte %d; %d bytes arrived on queue %d".formatted(
                        number, kind.text(), whole, queueOf[(int) number], what, at, length, queue),
                rows);
    }

    private void checkSum(long number, int entry, int length) {
        boolean has = (polled.flags(entry) & PacketBatch.HAS_CHECKSUM) != 0;
        if (!has) {
            if (capabilities.rxChecksum()) {
                throw new Fault("frame " + number + " came without the checksum that the card says it has");
            }
            return;
        }
        int right = Bytes.sum(got, FrameKind.HEADER, length);
        if (right % 0xFFFF != polled.checksum(entry) % 0xFFFF) {
            throw new Fault("the card's checksum of frame %d (%s, %d bytes) is 0x%04x; it is 0x%04x".formatted(number,
                    frames.kind(number).text(), length, polled.checksum(entry), right));
        }
    }

    /** Frames sent on one queue and received on one queue keep their order. */
    private void checkOrder(int queue, long number) {
        if (newest.length == 0) {
            newest = new long[link.far().rxQueues()][link.near().txQueues()];
        }
        int from = queueOf[(int) number];
        if (number < newest[queue][from]) {
            throw new Fault("frame " + number + " came after frame " + newest[queue][from]
                    + ", which was sent later; both from queue " + from + " to queue " + queue);
        }
        newest[queue][from] = number;
    }

    /** For people: what was compared. */
    String text() {
        return "%,d frames, each byte compared".formatted(received)
                + (strangers == 0 ? "" : "; " + strangers + " came that were never sent")
                + (former == 0 ? "" : "; " + former + " came late, of before");
    }
}
