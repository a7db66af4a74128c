package dev.bascule.rdma;

import dev.bascule.ffi.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;

/**
 * Input of a socket, with one deadline for as many reads as it takes: a peer that says a byte now and then holds the
 * reader no longer than one that says nothing. Errors: {@link SocketTimeoutException}.
 * <p>
 * Thread rule: the thread that reads.
 */
final class TimedInput extends InputStream {
    private final Socket socket;
    private final InputStream in;
    private Patience patience = new Patience(0);

    TimedInput(Socket socket) throws IOException {
        this.socket = socket;
        in = socket.getInputStream();
    }

    /** Begins a deadline: all that is read from now on must come within this time, ms; 0: takes as long as it takes. */
    void begin(int within) {
        patience = new Patience(within * 1_000_000L);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        while (!patience.isOver()) {
            try {
                socket.setSoTimeout((int) ((patience.left() + 999_999) / 1_000_000));
                return in.read(into, offset, length);
            } catch (SocketTimeoutException e) { // of one look
                continue;
            }
        }
        throw new SocketTimeoutException("it has not said all that was due within " + patience);
    }
}
