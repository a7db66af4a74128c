package dev.bascule.rdma;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Several peers that are asked at a time for a former host's region: of one at a time it is read, and of none when one had
 * it. Thread rule: any thread.
 */
final class Takeover {
    private final List<Socket> sockets = new ArrayList<>();
    private final Object reading = new Object();
    private int asked;
    private boolean isTaken;

    /** Reader of a peer's copy. */
    interface Read {
        /** Whether the peer had one. */
        boolean read() throws IOException;
    }

    /** @param peers that are asked, each of which {@link #ended} once */
    Takeover(int peers) {
        asked = peers;
    }

    /** A connection that is closed when the region is there. */
    synchronized void add(Socket socket) throws IOException {
        sockets.add(socket);
        if (isTaken) {
            socket.close();
        }
    }

    synchronized boolean isOver() {
        return isTaken;
    }

    /** Reads in turn with the others, unless one of them had the region. */
    void take(Read peer) throws IOException {
        synchronized (reading) {
            if (!isOver() && peer.read()) {
                over();
            }
        }
    }

    private synchronized void over() throws IOException {
        isTaken = true;
        notifyAll();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    synchronized void ended() {
        asked--;
        notifyAll();
    }

    /** Waits until one had the region, or none of them. */
    synchronized boolean await() {
        boolean interrupted = false;
        while (!isTaken && asked > 0) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true; // a region that is half read is none
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return isTaken;
    }
}
