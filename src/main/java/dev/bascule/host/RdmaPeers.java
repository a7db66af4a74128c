package dev.bascule.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Agents of this machine that wait to be called: each has a file in the run directory whose name is the port it listens at.
 * Thread rule: any thread.
 */
final class RdmaPeers {
    private static final String FOLDER = "rdma-peers";
    private static final int MOST_PORT = 65_535;

    private static final System.Logger LOG = System.getLogger(RdmaPeers.class.getName());

    private final Path folder;

    RdmaPeers(Path directory) {
        folder = directory.resolve(FOLDER);
    }

    List<InetSocketAddress> list() {
        List<InetSocketAddress> found = new ArrayList<>();
        try (var files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                int port = port(file.getFileName().toString());
                if (port != 0) { // else nobody announced himself by it
                    found.add(RdmaSetup.address("127.0.0.1:" + port));
                }
            }
        } catch (IOException e) {
            return List.of(); // none yet
        }
        return found;
    }

    private static int port(String name) {
        int port = name.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(name) : 0;
        return port > MOST_PORT ? 0 : port;
    }

    void announce(InetSocketAddress own) {
        try {
            Files.createDirectories(folder);
            Files.writeString(file(own), "");
        } catch (IOException e) {
            throw new UncheckedIOException("write into " + folder + ": " + e.getMessage(), e);
        }
    }

    private Path file(InetSocketAddress peer) {
        return folder.resolve(Integer.toString(peer.getPort()));
    }

    /** It was called, or has died and left its file. */
    void forget(InetSocketAddress peer) {
        try {
            Files.deleteIfExists(file(peer));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "forget " + peer, e);
        }
    }
}
