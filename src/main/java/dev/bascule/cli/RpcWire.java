package dev.bascule.cli;

import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.model.wire.CrossCable;
import dev.bascule.model.wire.TapWire;
import dev.bascule.model.wire.UdpWire;
import dev.bascule.run.Misuse;
import dev.bascule.run.SteeredRun;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where calls come from to a NIC that is a model, and as whom it listens. */
final class RpcWire {
    private static final int LOOPBACK = 0x7f00_0001;

    @Range("0..65535")
    @Option(names = "--udp", paramLabel = "PORT", description = "take datagrams from a UDP port of this machine; needs no privileges; 0: any free one")
    private @Nullable Integer udp;

    @Option(names = "--listen", defaultValue = "127.0.0.1", paramLabel = "ADDRESS", description = "with --udp: where to listen; default ${DEFAULT-VALUE}; 0.0.0.0: everywhere")
    private String listen = "127.0.0.1";

    @Option(names = "--wire", paramLabel = "WIRE", description = "frames instead: tap:NAME, a TAP interface of this machine, or cross:SOCKET, a cable to another process")
    private @Nullable String wire;

    @Option(names = "--address", defaultValue = "10.7.0.1", paramLabel = "IP", description = "with --wire: the NIC's IPv4 address; default ${DEFAULT-VALUE}")
    private String address = "10.7.0.1";

    @Option(names = "--address6", paramLabel = "IP", description = "with --wire: an IPv6 address besides")
    private @Nullable String address6;

    /** Where frames come from, as whom the NIC listens, and how to say so. */
    record Place(WireEnd wire, NicAddress address, String words) {}

    boolean isGiven() {
        return udp != null || wire != null;
    }

    /** A NIC of this Ethernet address, at the addresses that were given. */
    NicAddress address(long mac) {
        long[] six = address6 == null ? new long[2] : ipv6(address6);
        return new NicAddress(mac, ipv4(address), six[0], six[1], 1, 0xffff);
    }

    private static long[] ipv6(String text) {
        try {
            byte[] bytes = InetAddress.getByName(text).getAddress();
            if (bytes.length == 16 && text.indexOf(':') >= 0) {
                LongBuffer words = ByteBuffer.wrap(bytes).asLongBuffer();
                return new long[] { words.get(0), words.get(1) };
            }
        } catch (UnknownHostException e) {
            // said below
        }
        throw new Misuse("'" + text + "' is no IPv6 address; as fd00::7");
    }

    Place open() throws IOException {
        if ((udp == null) == (wire == null)) {
            throw new Misuse("say where calls come from: --udp PORT, or --wire tap:NAME or cross:SOCKET");
        }
        if (udp != null) {
            UdpWire open = UdpWire.open(InetAddress.getByName(listen), new int[] { udp }, SteeredRun.MAC, LOOPBACK);
            return new Place(open, new NicAddress(SteeredRun.MAC, LOOPBACK, 0, 0, open.port(0), open.port(0)),
                    "UDP port " + open.port(0) + " of " + listen);
        }
        String words = String.valueOf(wire);
        NicAddress nic = address(SteeredRun.MAC);
        if (words.startsWith("tap:")) {
            return new Place(TapWire.open(words.substring(4)), nic, "TAP interface " + words.substring(4) + ", address "
                    + address + ", port " + SteeredRun.RPC_PORT + ", port mapper at 111");
        } else if (words.startsWith("cross:")) {
            return new Place(CrossCable.plug(Path.of(words.substring(6))), nic, "cable " + words.substring(6));
        }
        throw new Misuse("--wire " + words + ": tap:NAME or cross:SOCKET");
    }

    /** The port at which a service of this NIC is called. */
    static int port(NicAddress nic) {
        return nic.firstPort() == 1 ? SteeredRun.RPC_PORT : nic.firstPort();
    }

    static int ipv4(String text) {
        try {
            byte[] bytes = InetAddress.getByName(text).getAddress();
            if (bytes.length == 4 && text.chars().allMatch(c -> c == '.' || Character.isDigit(c))) {
                return (bytes[0] & 0xff) << 24 | (bytes[1] & 0xff) << 16 | (bytes[2] & 0xff) << 8 | bytes[3] & 0xff;
            }
        } catch (UnknownHostException e) {
            // said below
        }
        throw new Misuse("'" + text + "' is no IPv4 address; as 10.7.0.1");
    }
}
