package dev.bascule.nic.enso;

import dev.bascule.nic.RxTxPipe;

/** An Ensō pipe that sends received bytes from where they are. */
final class EnsoRxTxPipe extends EnsoRxPipe implements RxTxPipe, RequestRing.Transmission {
    private final GroupDataPath io;
    private int newestRequest;
    private long sent;
    private long givenBack;
    private long readBytes;

    EnsoRxTxPipe(GroupDataPath io, int id, PipeMemory ring) {
        super(io, id, ring);
        this.io = io;
    }

    @Override
    public long sendAndFree(long lengthBytes) {
        long accepted = post(lengthBytes);
        if (accepted > 0) {
            io.commit();
        }
        return accepted;
    }

    @Override
    public boolean isSendable(long offset, int lengthBytes) {
        return PacketCuts.deviceLength(memory(), offset) == lengthBytes;
    }

    /** As {@link #sendAndFree}, without the doorbell. */
    long post(long lengthBytes) {
        check("send", lengthBytes, heldBytes() - pendingBytes());
        long accepted = io.post(this, ring, freedPosition() + pendingBytes(), lengthBytes);
        if (accepted > 0) {
            sent += accepted;
            newestRequest = notifications().requests.newest();
        }
        return accepted;
    }

    /** Bytes behind a send under way are given back with it. */
    @Override
    public void free(long lengthBytes) {
        if (pendingBytes() == 0) {
            super.free(lengthBytes);
            return;
        }
        check("free", lengthBytes, heldBytes() - pendingBytes());
        sent += lengthBytes;
        notifications().requests.addToReport(newestRequest, lengthBytes);
    }

    @Override
    public long pendingBytes() {
        return sent - givenBack;
    }

    /** Several requests that were read in one round are given back with one store. */
    @Override
    public void sent(long lengthBytes) {
        if (readBytes == 0) {
            io.giveBackLater(this);
        }
        readBytes += lengthBytes;
    }

    void giveBackWhatWasRead() {
        long bytes = readBytes;
        readBytes = 0;
        givenBack += bytes;
        giveBack(bytes);
    }
}
