package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.model.Losses;
import dev.bascule.model.parts.FrameFifo;
import dev.bascule.model.parts.FrameMemory;
import dev.bascule.model.parts.PhcTime;
import dev.bascule.model.replay.Action.Kind;
import dev.bascule.model.replay.Expectation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A port: its queues, and one engine each way that moves one frame at a time over the queue that is selected, which
 * is the one created last.
 */
final class CndmPort {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int FIFO_BYTES = 32768;
    private static final int EVENT_COMPLETION = 0;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int STAMP_SECONDS = (1 << STAMP_SECONDS_BITS) - 1;
    private static final int SELECTION = 0x8000;
    private static final int TX_SELECTION = 0x10;
    private static final int RX_SELECTION = 0x20;

    private enum Stage {
        IDLE, WIRE, REPORT, STOPPED
    }

    private final CndmDevice device;
    private final int number;
    private final CndmQueue[] notify = queues(true);
    private final CndmQueue[] work = queues(false);
    private int txSelected;
    private int rxSelected;

    private final byte[] entry = new byte[ENTRY_BYTES];
    private final MemorySegment entrySegment = MemorySegment.ofArray(entry);
    private final FrameMemory txFrame = new FrameMemory(FRAME_MEMORY_BYTES, LONGEST_SENT_BYTES);
    private final FrameFifo arrived = new FrameFifo(FIFO_BYTES, FIFO_BYTES);

    private Stage stage = Stage.IDLE;
    private long txCause;
    private int txLength;
    private int txCompletions;
    private long txStamp;
    private long txDue;
    private long rxDue;
    private boolean rxBegun;
    private boolean holdWire;
    private boolean holdReports;

    private long noRoom;
    private long noDescriptor;
    private long fault;
    private long stopped;

    CndmPort(CndmDevice device, int number) {
        this.device = device;
        this.number = number;
    }

    private static CndmQueue[] queues(boolean notifies) {
        return IntStream.range(0, QUEUES).mapToObj(number -> new CndmQueue(number, notifies))
                .toArray(CndmQueue[]::new);
    }

    // ---- registers

    /** Writes one of the two doorbells of a queue; nothing else in the window is writable. */
    void doorbell(int offset, int value) {
        boolean notifies = (offset & NOTIFY_WINDOW) != 0;
        int within = offset & QUEUE_STRIDE - 1;
        if (offset < 2 * NOTIFY_WINDOW && within == (notifies ? CONSUMER : PRODUCER)) {
            writeQueue(notifies, offset / QUEUE_STRIDE & QUEUES - 1, within >> 2, value);
        }
    }

    private void writeQueue(boolean notifies, int queue, int word, int value) {
        device.host.resume(0);
        (notifies ? notify : work)[queue].write(word, value);
        if (notifies) {
            fire(notify[queue]); // any write gives it a chance [RTL]
        }
    }

    /** Whether the inner bus decodes the offset. */
    static boolean decodes(int offset) {
        return offset < 0xC000;
    }

    int readInner(int offset) {
        if (offset < SELECTION) {
            boolean notifies = (offset & NOTIFY_WINDOW) != 0;
            return (notifies ? notify : work)[offset / QUEUE_STRIDE & QUEUES - 1].read(offset >> 2 & 7);
        }
        return switch (offset & 0xFC) {
            case TX_SELECTION -> txSelected;
            case RX_SELECTION -> rxSelected;
            default -> 0;
        };
    }

    void writeInner(int offset, int value) {
        if (offset < SELECTION) {
            writeQueue((offset & NOTIFY_WINDOW) != 0, offset / QUEUE_STRIDE & QUEUES - 1, offset >> 2 & 7, value);
            return;
        }
        switch (offset & 0xFC) {
            case TX_SELECTION -> txSelected = value & QUEUES - 1;
            case RX_SELECTION -> rxSelected = value & QUEUES - 1;
            default -> {
            }
        }
    }

    /** Creates a queue; its number, or -1 if none is free. */
    int create(int kind, int boundTo, int logEntries, int low, int high) {
        boolean notifies = kind == EVENT_QUEUE || kind == COMPLETION_QUEUE;
        for (CndmQueue queue : notifies ? notify : work) {
            if (!queue.enabled) {
                int[] words = { 0, boundTo, 0, 0, 0, 0, low, high };
                for (int word = 0; word < words.length; word++) {
                    queue.write(word, words[word]);
                }
                queue.write(0, 1 | (logEntries & 0xF) << 16 | kind << 20);
                if (kind == SEND_QUEUE) {
                    txSelected = queue.number;
                } else if (kind == RECEIVE_QUEUE) {
                    rxSelected = queue.number;
                }
                return queue.number;
            }
        }
        return -1;
    }

    /** Destroys whatever has this number in the kind's pool [RTL]. */
    void destroy(int kind, int queue) {
        boolean notifies = kind == EVENT_QUEUE || kind == COMPLETION_QUEUE;
        (notifies ? notify : work)[queue & QUEUES - 1].write(0, 0);
    }

    // ---- notification

    private void fire(CndmQueue queue) {
        if (!queue.fires()) {
            return;
        }
        if (queue.kind == COMPLETION_QUEUE && !queue.interrupts) {
            Arrays.fill(entry, (byte) 0);
            entrySegment.set(SHORT, 2, (short) EVENT_COMPLETION);
            entrySegment.set(INT, 4, queue.number);
            append(notify[queue.bound], EVENT_QUEUE);
        } else {
            device.interrupt(queue.bound);
        }
    }

    /** Writes the entry; into a queue that is full, not enabled or of another kind it is lost for good [RTL]. */
    private void append(CndmQueue queue, int kind) {
        if (!queue.is(kind) || queue.isFull()) {
            return;
        }
        entry[ENTRY_BYTES - 1] = (byte) (entry[ENTRY_BYTES - 1] & 0x7F | (queue.phase() ? 0x80 : 0));
        long at = queue.entryAddress(queue.producer);
        if (!device.host.write(kind == EVENT_QUEUE ? Kind.EVENT : Kind.COMPLETION, stream(queue.number), at,
                entrySegment, 0, ENTRY_BYTES)) {
            fault++;
        }
        queue.produced();
        fire(queue);
    }

    private void complete(int queue, int lengthBytes, long stamp) {
        entrySegment.set(INT, 0, 0);
        entrySegment.set(INT, 4, lengthBytes);
        entrySegment.set(INT, 8, (int) (stamp % NANOS_PER_SECOND));
        entrySegment.set(SHORT, 12, (short) (device.time().fraction() >>> 16));
        entrySegment.set(SHORT, 14, (short) (stamp / NANOS_PER_SECOND));
        append(notify[queue], COMPLETION_QUEUE);
    }

    /** Time of day, of which completions carry 15 bits of seconds. */
    private long stamp() {
        PhcTime time = device.time();
        time.update();
        return (time.seconds() & STAMP_SECONDS) * NANOS_PER_SECOND + time.nanos();
    }

    // ---- transmit

    int transmit() {
        return switch (stage) {
            case IDLE -> fetch();
            case WIRE -> send();
            case REPORT -> report();
            case STOPPED -> 0;
        };
    }

    private int fetch() {
        CndmQueue queue = work[txSelected];
        if (!queue.is(SEND_QUEUE) || queue.isEmpty()) {
            return 0;
        }
        txCause = device.host.next();
        txCompletions = queue.bound; // of now, whatever becomes of the queue [RTL]
        boolean read = readDescriptor(Kind.TX_DESCRIPTOR, queue);
        txLength = entrySegment.get(SHORT, 4) & 0xFFFF;
        if (read && (txLength == 0 || txLength > LONGEST_SENT_BYTES)) {
            stage = Stage.STOPPED; // the MAC's report never comes [RTL]
            stopped++;
            return 1;
        }
        txDue = device.in(CndmCycles.transmit(txLength));
        if (read && readFrame(entrySegment.get(LONG, 8))) {
            stage = Stage.WIRE;
            send();
        } else {
            fault++;
            txStamp = stamp();
            stage = Stage.REPORT; // the frame is lost, the ring goes on
        }
        return 1;
    }

    private boolean readDescriptor(Kind kind, CndmQueue queue) {
        return device.host.read(kind, stream(queue.number), queue.consume(), entrySegment, ENTRY_BYTES);
    }

    private int stream(int queue) {
        return Expectation.stream(number, queue);
    }

    private boolean readFrame(long address) {
        boolean read = device.host.read(Kind.TX_DATA, stream(txSelected), address, txFrame.segment(), txLength);
        if (read) {
            txFrame.wrap(txLength);
        }
        return read;
    }

    private int send() {
        if (holdWire) {
            return 0;
        }
        device.host.resume(txCause);
        txStamp = stamp();
        device.host.frame(number, txFrame.segment(), txLength);
        stage = Stage.REPORT;
        device.transmitted(number, txFrame.data(), txLength);
        report();
        return 1;
    }

    /** Completes the frame once the MAC has reported it as sent; until then nothing else is fetched [RTL]. */
    private int report() {
        if (holdReports || !device.isOver(txDue)) {
            return 0;
        }
        device.host.resume(txCause);
        stage = Stage.IDLE;
        complete(txCompletions, txLength, txStamp);
        return 1;
    }

    // ---- receive

    /** Takes a frame from the wire, if there is room for all of it. */
    void receive(byte[] data, int offset, int lengthBytes) {
        boolean kept = lengthBytes > 0 && lengthBytes <= FIFO_BYTES && arrived.add(data, offset, lengthBytes, stamp());
        noRoom += kept ? 0 : 1;
    }

    boolean fits(int lengthBytes) {
        return arrived.hasRoom(lengthBytes);
    }

    /** Whether a frame that arrives now would be kept and find a descriptor. */
    boolean hasRoom(int lengthBytes) {
        CndmQueue queue = work[rxSelected];
        return lengthBytes > FIFO_BYTES
                || arrived.isEmpty() && queue.is(RECEIVE_QUEUE) && !queue.isEmpty();
    }

    int store() {
        if (arrived.isEmpty()) {
            return 0;
        }
        int lengthBytes = Math.min(arrived.headLength(), FRAME_MEMORY_BYTES);
        if (!rxBegun) {
            rxBegun = true;
            rxDue = device.in(CndmCycles.receive(lengthBytes));
        }
        if (!device.isOver(rxDue)) {
            return 0;
        }
        rxBegun = false;
        CndmQueue queue = work[rxSelected];
        if (queue.is(RECEIVE_QUEUE) && !queue.isEmpty()) {
            store(queue, lengthBytes);
        } else {
            noDescriptor++; // nothing waits for a later doorbell [RTL]
        }
        arrived.removeHead();
        return 1;
    }

    private void store(CndmQueue queue, int lengthBytes) {
        device.host.next();
        int completions = queue.bound;
        if (readDescriptor(Kind.RX_DESCRIPTOR, queue)) {
            int part = Math.min(lengthBytes, entrySegment.get(SHORT, 4) & 0xFFFF);
            long address = entrySegment.get(LONG, 8);
            if (part > 0 && !device.host.write(Kind.RX_DATA, stream(queue.number), address, arrived.segment(),
                    arrived.headOffset(), part)) {
                fault++;
            }
        } else {
            fault++;
        }
        complete(completions, lengthBytes, arrived.headTag());
    }

    // ---- the rest

    /** Whether a frame goes on by itself after some cycles. */
    boolean isBusy() {
        return rxBegun || stage == Stage.REPORT && !holdReports;
    }

    void setHoldWire(boolean hold) {
        holdWire = hold;
    }

    void setHoldReports(boolean hold) {
        holdReports = hold;
    }

    Losses losses() {
        String where = "port " + number;
        return Losses.NONE.plus(where, "no room", noRoom).plus(where, "no descriptor", noDescriptor)
                .plus(where, "memory refused", fault).plus(where, "empty or too long, which stops it", stopped);
    }

    void reset() {
        for (int i = 0; i < QUEUES; i++) {
            for (int word = 0; word < 8; word++) {
                notify[i].write(word, 0);
                work[i].write(word, 0);
            }
        }
        txSelected = 0;
        rxSelected = 0;
        arrived.clear();
        stage = Stage.IDLE;
        rxBegun = false;
    }
}
