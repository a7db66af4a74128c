package dev.bascule.host;

import dev.bascule.device.DeviceException;
import dev.bascule.rdma.Credentials;
import dev.bascule.rdma.RdmaOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a run directory's region is mirrored over RDMA. It lies in a file of the directory, which only its user may read.
 *
 * @param device kernel name of the RDMA device; empty: the one that has the address in use
 * @param port of the device; 0: the one that has the address
 * @param gidIndex entry of the port's table of addresses; -1: that of the address in use
 * @param trafficClass DSCP and ECN of the packets
 * @param stallNanos how long a peer may take nothing before the connection counts as broken, ns
 * @param name own name, which the peer expects
 * @param peerName name that the peer must have; empty: any that knows the secret
 * @param secretFile holds the secret that both sides know; empty: both find it in this directory
 * @param peers host: addresses of agents, {@code HOST:PORT}; empty: agents of this machine, by this directory
 * @param listen agent: own address, {@code HOST:PORT}; empty: any of this machine's own, told by this directory
 */
public record RdmaSetup(String device, int port, int gidIndex, int trafficClass, long stallNanos, String name,
        String peerName, String secretFile, List<String> peers, String listen) {
    /** Port of an agent that is given none. */
    public static final int DEFAULT_PORT = 7471;

    private static final String FILE = "rdma.link";
    private static final String SECRET = "secret";

    /** Host and agent on this machine, by their directory. */
    public static final RdmaSetup HERE = new RdmaSetup("", 0, -1, 0, RdmaOptions.DEFAULT.stallNanos(), "", "", "",
            List.of(), "");

    /** Copies the list. */
    public RdmaSetup {
        peers = List.copyOf(peers);
    }

    /** This setup with agents elsewhere, at these addresses. */
    public RdmaSetup withPeers(List<String> addresses) {
        return new RdmaSetup(device, port, gidIndex, trafficClass, stallNanos, name, peerName, secretFile, addresses,
                listen);
    }

    /** This setup for an agent that listens at this address. */
    public RdmaSetup withListen(String address) {
        return new RdmaSetup(device, port, gidIndex, trafficClass, stallNanos, name, peerName, secretFile, peers,
                address);
    }

    /** Whether host and agent find each other by the directory. */
    boolean isHere() {
        return peers.isEmpty() && listen.isEmpty();
    }

    RdmaOptions options() {
        return new RdmaOptions(device, port, gidIndex, trafficClass, stallNanos, false);
    }

    /** Addresses of the peers. */
    List<InetSocketAddress> peerAddresses() {
        return peers.stream().map(RdmaSetup::address).toList();
    }

    /** Own address to listen at. */
    InetSocketAddress listenAddress() {
        return listen.isEmpty() ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0) : address(listen);
    }

    /**
     * The address that {@code HOST}, {@code HOST:PORT} or {@code [IPv6]:PORT} stands for.
     *
     * @throws DeviceException if it stands for none
     */
    static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon > 0 && (text.indexOf(':') == colon || text.charAt(colon - 1) == ']');
        String host = (hasPort ? text.substring(0, colon) : text).replaceAll("^\\[|]$", "");
        try {
            int port = hasPort ? Integer.parseInt(text.substring(colon + 1)) : DEFAULT_PORT;
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new DeviceException("find address", text, "no such host", "name an address, such as 10.0.0.2:"
                    + DEFAULT_PORT, e);
        } catch (IllegalArgumentException e) {
            throw new DeviceException("find address", text, "the port is no number from 1 to 65535",
                    "write HOST:PORT, such as 10.0.0.2:" + DEFAULT_PORT, e);
        }
    }

    // ---- the directory's file

    /** Whether the region of a run directory is mirrored over RDMA. */
    static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    /** Says in a run directory that its region is mirrored so. */
    void writeTo(Path directory) {
        String lines = Stream.of("device=" + device, "port=" + port, "gidIndex=" + gidIndex,
                "trafficClass=" + trafficClass, "stallNanos=" + stallNanos, "name=" + name, "peerName=" + peerName,
                "secretFile=" + secretFile, "peers=" + String.join(",", peers), "listen=" + listen,
                SECRET + "=" + (secretFile.isEmpty()
                        ? new String(Credentials.newSecret(), StandardCharsets.UTF_8)
                        : ""))
                .map(line -> line.replace("\\", "\\\\")).collect(Collectors.joining("\n", "", "\n"));
        Path file = directory.resolve(FILE);
        try {
            Files.deleteIfExists(file);
            try (var out = Files.newByteChannel(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                out.write(StandardCharsets.UTF_8.encode(lines));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("write " + file + ": " + e.getMessage(), e);
        }
    }

    private static Properties properties(Path directory) {
        Path file = directory.resolve(FILE);
        Properties found = new Properties();
        try (var in = Files.newBufferedReader(file)) {
            found.load(in);
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException("read " + file + ": " + e.getMessage() + "; start the host first", e);
        }
    }

    static RdmaSetup readFrom(Path directory) {
        Properties found = properties(directory);
        List<String> peers = Stream.of(found.getProperty("peers", "").split(",")).filter(one -> !one.isBlank())
                .toList();
        return new RdmaSetup(found.getProperty("device", ""), Integer.parseInt(found.getProperty("port", "0")),
                Integer.parseInt(found.getProperty("gidIndex", "-1")),
                Integer.parseInt(found.getProperty("trafficClass", "0")),
                Long.parseLong(found.getProperty("stallNanos", "0")), found.getProperty("name", ""),
                found.getProperty("peerName", ""), found.getProperty("secretFile", ""), peers,
                found.getProperty("listen", ""));
    }

    /** Removes the file. */
    static void removeFrom(Path directory) {
        try {
            Files.deleteIfExists(directory.resolve(FILE));
        } catch (IOException e) {
            throw new UncheckedIOException("remove " + directory.resolve(FILE) + ": " + e.getMessage(), e);
        }
    }

    Credentials credentials(Path directory) {
        return secretFile.isEmpty()
                ? new Credentials(name, peerName,
                        properties(directory).getProperty(SECRET, "").getBytes(StandardCharsets.UTF_8))
                : Credentials.read(name, peerName, Path.of(secretFile));
    }
}
