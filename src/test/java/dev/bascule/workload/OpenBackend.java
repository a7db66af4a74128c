package dev.bascule.workload;

import java.io.IOException;
import java.net.InetSocketAddress;

/** A server of the socket workload, for tests of other packages. */
public final class OpenBackend implements AutoCloseable {
    private final SocketBackend backend = new SocketBackend(7);

    public InetSocketAddress at() {
        return backend.at();
    }

    /** A client's call comes back right. */
    public boolean answers() throws IOException {
        try (Waits.Line line = backend.open()) {
            line.call(42);
            return line.isRight(42);
        }
    }

    @Override
    public void close() {
        backend.close();
    }
}
