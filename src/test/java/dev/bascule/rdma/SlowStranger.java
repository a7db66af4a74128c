package dev.bascule.rdma;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A peer that says a byte each 10 s, which no time-out of a single read notices. */
public final class SlowStranger implements AutoCloseable {
    private final Socket socket;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** At this end of a connection. */
    public SlowStranger(Socket socket) {
        this.socket = socket;
        Thread.ofPlatform().daemon().start(() -> {
            try {
                do {
                    socket.getOutputStream().write(0x42);
                } while (!closed.await(10, TimeUnit.SECONDS));
            } catch (IOException | InterruptedException e) {
                // hung up on
            }
        });
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        socket.close();
    }
}
