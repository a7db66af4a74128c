package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of agents that wait, among files of anybody. */
class RdmaPeersTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void aFileWhoseNameIsNoPortHidesNoAgent() throws Exception {
        RdmaPeers peers = new RdmaPeers(directory);
        assertThat(peers.list()).isEmpty();
        peers.announce(InetSocketAddress.createUnresolved("127.0.0.1", 65_535));
        peers.announce(InetSocketAddress.createUnresolved("127.0.0.1", 1));
        for (String stray : new String[] { "x", "0", "01", "1 ", "65536", "70000", "99999", "123456", "-1", "port" }) {
            Files.createFile(directory.resolve("rdma-peers").resolve(stray));
        }
        assertThat(peers.list()).extracting(InetSocketAddress::getPort).containsExactlyInAnyOrder(1, 65_535);
    }
}
