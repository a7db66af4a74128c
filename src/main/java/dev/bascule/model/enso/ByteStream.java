package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;

/** What the device knows of one byte stream. All positions are bytes from the stream's start. */
final class ByteStream {
    final int pipe;
    final StreamKey key;
    final byte[] segment = new byte[StreamFrames.MOST_BYTES];
    /** Bytes of the segment that is filled. */
    int filled;
    long sent;
    /** How far the other end takes them. */
    long limit;
    long received;
    /** How far the host has given them back; whole flits. */
    long freed;
    /** How far the other end was told that it may send. */
    long promised;
    int state = EnsoFormats.STREAM_IS_OPEN;
    /** Whether the host waits for word. */
    boolean armed = true;
    long toldReceived;
    long toldLimit;
    int toldState;
    /** TCP flags of the frame without bytes that is to be sent; 0 for none. */
    int owes;
    boolean queued;
    /** No stream any more once that frame has left. */
    boolean gone;

    ByteStream(int pipe, StreamKey key) {
        this.pipe = pipe;
        this.key = key;
    }

    boolean isOpen() {
        return state == EnsoFormats.STREAM_IS_OPEN && !gone;
    }

    boolean hasNews() {
        return received > toldReceived || limit > toldLimit || state != toldState;
    }
}
