package dev.bascule.nic.enso;

import dev.bascule.device.DeviceException;
import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.RxPipe;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;

/** Receiving half of every Ensō pipe. Positions are running byte counts. Thread rule: that of its io. */
class EnsoRxPipe implements RxPipe {
    private static final long NONE = -1;
    /** Room for any frame that the device takes. */
    private static final long LONGEST_BYTES = PacketFormat.padded(EnsoTxQueue.MAX_FRAME_BYTES);
    private static final long MARK = 0x9E37_79B9_7F4A_7C15L;

    final PipeMemory ring;
    private final GroupDataPath io;
    private final int id;
    private final MemorySegment memory;
    private final long ringBytes;
    private final long byteMask;
    private final int flitMask;
    private long arrived;
    private long confirmed;
    private long freed;
    private long freedAtNews;
    private int tailFlits;
    private final AtomicLong filled = new AtomicLong(); // written by the thread of the io, read by any
    private boolean wrapped;
    private boolean announced;
    private boolean closing;
    private long awaitedTail = NONE;

    EnsoRxPipe(GroupDataPath io, int id, PipeMemory ring) {
        this.io = io;
        this.id = id;
        this.ring = ring;
        this.memory = ring.segment();
        this.ringBytes = ring.sizeBytes();
        this.byteMask = ringBytes - 1;
        this.flitMask = (int) (ringBytes / EnsoFormats.FLIT_BYTES) - 1;
        for (long at = ringBytes / 2; at < ringBytes / 2 + QUANTUM_BYTES; at += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, at, MARK);
        }
    }

    @Override
    public final int id() {
        return id;
    }

    @Override
    public final MemorySegment memory() {
        return memory;
    }

    @Override
    public final long capacityBytes() {
        return ringBytes - QUANTUM_BYTES;
    }

    @Override
    public final long peek() {
        io.poll();
        return arrived - confirmed;
    }

    /** Bytes known to have arrived and not yet confirmed, without a look for more. */
    final long unconfirmedBytes() {
        return arrived - confirmed;
    }

    @Override
    public final long offset() {
        return confirmed & byteMask;
    }

    @Override
    public final void confirm(long lengthBytes) {
        check("confirm", lengthBytes, arrived - confirmed);
        confirmed += lengthBytes;
    }

    @Override
    public void free(long lengthBytes) {
        check("free", lengthBytes, confirmed - freed);
        if (lengthBytes > 0) {
            giveBack(lengthBytes);
        }
    }

    @Override
    public final long heldBytes() {
        return confirmed - freed;
    }

    @Override
    public final void prefetch() {
        io.storeHead(id, headFlits());
    }

    /** Moves the head, which lets the device write there and makes it say what more there is. */
    final void giveBack(long lengthBytes) {
        freed += lengthBytes;
        io.storeHead(id, headFlits());
    }

    /** Where the oldest byte is that is not freed. */
    final long freedPosition() {
        return freed;
    }

    /** Times the device was found to have left no room for a long frame: one that came then waits or is lost. */
    final long filled() {
        return filled.getOpaque();
    }

    /** Running count of the bytes confirmed. */
    final long confirmedPosition() {
        return confirmed;
    }

    private int headFlits() {
        return (int) (freed / QUANTUM_BYTES) & flitMask;
    }

    /**
     * The device says that its tail is now {@code tail}.
     *
     * @return false if it cannot be: beyond the ring, or more than there was room for
     */
    boolean notified(long tail) {
        if (closing) {
            awaitedTail = tail == awaitedTail ? NONE : awaitedTail;
            return true;
        }
        if (tail < 0 || tail > EnsoFormats.POINTER_MASK) {
            return false;
        }
        if (tail > flitMask) {
            throw wrongRing("more");
        }
        long news = (long) ((int) tail - tailFlits & flitMask) * QUANTUM_BYTES;
        if (arrived + news - freed > capacityBytes()) {
            return false;
        }
        if (!wrapped && tail < tailFlits) {
            checkRing();
        }
        if (news > 0 && capacityBytes() - (arrived + news - freedAtNews) < LONGEST_BYTES) {
            filled.setOpaque(filled.getOpaque() + 1); // what was given back since came too late for it
        }
        freedAtNews = freed;
        tailFlits = (int) tail;
        arrived += news;
        if (news > 0 && !announced) {
            announced = true;
            io.announce(this);
        }
        return true;
    }

    /** At the first turn of the ring: a device with smaller rings never wrote the middle. */
    private void checkRing() {
        wrapped = true;
        for (long at = ringBytes / 2; at < ringBytes / 2 + QUANTUM_BYTES; at += Long.BYTES) {
            if (memory.get(ValueLayout.JAVA_LONG, at) != MARK) {
                return;
            }
        }
        throw wrongRing("fewer");
    }

    private DeviceException wrongRing(String relation) {
        return new DeviceException("receive", "enso pipe " + id, "the board's pipes have " + relation + " than the "
                + (flitMask + 1) + " flits the driver was told",
                "set the pipe ring with the board tool, or tell the "
                        + "driver its size (EnsoConfig); what this pipe received since its start is lost");
    }

    /** No longer in the list of those announced. */
    final void taken() {
        announced = false;
    }

    /** Puts it at the end of that list again. */
    final void announceAgain() {
        if (!announced) {
            announced = true;
            io.announce(this);
        }
    }

    /** The pipe takes nothing more; its next notification of {@code tail} means that all before it is written. */
    final void await(long tail) {
        closing = true;
        awaitedTail = tail;
    }

    final boolean isClosing() {
        return closing;
    }

    final boolean isAwaiting() {
        return awaitedTail != NONE;
    }

    final NotificationBuffer notifications() {
        return io.notifications;
    }

    final void check(String step, long lengthBytes, long available) {
        if (lengthBytes < 0 || lengthBytes > available || (lengthBytes & QUANTUM_BYTES - 1) != 0) {
            throw new IllegalArgumentException(step + " " + lengthBytes + " bytes of pipe " + id + ": not a multiple "
                    + "of " + QUANTUM_BYTES + " from 0 to " + available);
        }
    }
}
