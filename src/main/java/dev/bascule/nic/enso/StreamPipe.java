package dev.bascule.nic.enso;

import dev.bascule.nic.Flow;

/** A pipe that is a byte stream. Positions are running byte counts of any value, not only whole flits. */
final class StreamPipe extends EnsoRxPipe implements RequestRing.Transmission {
    /** Looks in a row that find no credit before the card is made to ask the other end for it; a power of two. */
    static final int LOOKS_BEFORE_ASKING = 1024;

    final PipeMemory out;
    final Flow arriving;
    private final GroupDataPath io;
    private final int flitMask;
    private long received;
    private long read;
    private long limit;
    private long sent;
    private long fetched;
    private int storedFlits;
    private int looksWithoutCredit;
    private boolean unanswered;
    private boolean lastWasTrue = true;
    private EnsoStream.State state = EnsoStream.State.OPEN;

    StreamPipe(GroupDataPath io, int id, PipeMemory ring, PipeMemory out, Flow arriving) {
        super(io, id, ring);
        this.io = io;
        this.out = out;
        this.arriving = arriving;
        flitMask = (int) (ring.sizeBytes() / EnsoFormats.FLIT_BYTES) - 1;
    }

    /** What the device said last; counted as refused in {@link #notified} if it cannot be. */
    void told(long receivedBytes, long limitBytes, int newState) {
        if (isClosing()) {
            return;
        }
        boolean isTrue = receivedBytes >= received
                && receivedBytes - (read & -EnsoFormats.FLIT_BYTES) <= capacityBytes()
                && limitBytes >= limit && newState >= state.ordinal() && newState < EnsoStream.STATES.size();
        lastWasTrue = isTrue;
        if (isTrue) {
            received = receivedBytes;
            limit = limitBytes;
            state = EnsoStream.STATES.get(newState);
        }
        unanswered = true;
    }

    @Override
    boolean notified(long tail) {
        return isClosing() ? super.notified(tail) : lastWasTrue;
    }

    /** Looks for news; the device gives the next only when its last was answered. */
    void poll() {
        io.poll();
        if (unanswered) {
            answer();
            io.poll(); // what came meanwhile
        }
    }

    /** The same, for one that wants to send: the frame with the last credit may have been lost. */
    void pollForCredit() {
        poll();
        if (limit > sent || state != EnsoStream.State.OPEN) {
            looksWithoutCredit = 0;
        } else if ((++looksWithoutCredit & LOOKS_BEFORE_ASKING - 1) == 0) {
            io.storeHead(id(), storedFlits); // once more without news: the card asks
        }
    }

    private void answer() {
        unanswered = false;
        storedFlits = (int) (read / EnsoFormats.FLIT_BYTES) & flitMask;
        io.storeHead(id(), storedFlits);
    }

    long readable() {
        return received - read;
    }

    long readPosition() {
        return read & ring.sizeBytes() - 1;
    }

    void give(long lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > received - read) {
            throw new IllegalArgumentException("free " + lengthBytes + " bytes of stream " + arriving
                    + ": not 0 to " + (received - read));
        }
        read += lengthBytes;
        if (((int) (read / EnsoFormats.FLIT_BYTES) & flitMask) != storedFlits) {
            answer();
        }
    }

    long room() {
        return state == EnsoStream.State.OPEN ? Math.min(limit - sent, out.sizeBytes() - pendingBytes()) : 0;
    }

    long writePosition() {
        return sent & out.sizeBytes() - 1;
    }

    long send(long lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > out.sizeBytes()) {
            throw new IllegalArgumentException("send " + lengthBytes + " bytes of stream " + arriving + ": not 0 to "
                    + out.sizeBytes());
        }
        long accepted = io.sendStream(this, out, sent, Math.min(lengthBytes, room()));
        sent += accepted;
        return accepted;
    }

    long pendingBytes() {
        return sent - fetched;
    }

    long sentBytes() {
        return sent;
    }

    long receivedBytes() {
        return received;
    }

    EnsoStream.State state() {
        return state;
    }

    @Override
    public void sent(long lengthBytes) {
        fetched += lengthBytes;
    }
}
