package dev.bascule.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** An agent's door that waits for its host, for tests of other packages. */
public final class WaitingAgent implements AutoCloseable {
    private static final byte[] SECRET = "a secret of a test".getBytes(StandardCharsets.UTF_8);
    private static final int PATIENCE_MILLIS = 60_000;

    private final ServerSocket listener = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
    private final InetSocketAddress at = (InetSocketAddress) listener.getLocalSocketAddress();
    private final AgentDoor door = new AgentDoor(listener, new Credentials("nic", "host", SECRET));

    public WaitingAgent() throws IOException {}

    public InetSocketAddress at() {
        return at;
    }

    /** A host calls, and both know that the other has the secret. */
    public boolean greets() throws IOException {
        try (Socket socket = new Socket(at.getAddress(), at.getPort());
                Exchange host = new Exchange(socket, new Credentials("host", "nic", SECRET), true);
                Exchange agent = door.await(PATIENCE_MILLIS)) {
            return host.peer().equals("nic") && agent.peer().equals("host");
        }
    }

    @Override
    public void close() {
        door.close();
    }
}
