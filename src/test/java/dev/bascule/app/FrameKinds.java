package dev.bascule.app;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** A corpus of frames: one of each kind that reads its headers, or has none to read, in another way. */
public final class FrameKinds {
    private static final int ETHERNET_BYTES = 14;
    private static final byte[] FOUR = { 10, 1, 2, 3, 10, 4, 5, 6 };

    private final Map<String, byte[]> frames = new LinkedHashMap<>();

    private FrameKinds() {}

    /** The frames by name, the same ones each time; none shorter than an Ethernet header. */
    public static Map<String, byte[]> all() {
        FrameKinds kinds = new FrameKinds();
        kinds.plain();
        kinds.tags();
        kinds.links();
        kinds.options();
        kinds.fragments();
        kinds.damaged();
        kinds.transports();
        kinds.tunnels();
        kinds.six();
        kinds.extensions();
        return kinds.frames;
    }

    private void plain() {
        add("UDP", ether(0x0800, ip4(17, udp(data(30)))));
        add("TCP", ether(0x0800, ip4(6, tcp(5, data(30)))));
        add("UDP, odd length", ether(0x0800, ip4(17, udp(data(31)))));
        add("ping", ether(0x0800, ip4(1, join(bytes(8, 0, 0, 0, 0, 1, 0, 2), data(24)))));
        add("ARP", ether(0x0806, arp()));
        add("ARP, padded", padded(ether(0x0806, arp())));
        add("1,514 bytes of UDP", ether(0x0800, ip4(17, udp(data(1472)))));
        add("UDP to all stations", toAll(ether(0x0800, ip4(17, udp(data(30))))));
        add("UDP, padded", padded(ether(0x0800, ip4(17, udp(data(4))))));
        add("TCP, padded", padded(ether(0x0800, ip4(6, tcp(5, data(1))))));
        add("UDP with much behind", join(ether(0x0800, ip4(17, udp(data(4)))), data(100)));
    }

    private void tags() {
        byte[] inner = join(bytes(8, 0), ip4(17, udp(data(30))));
        add("tag", ether(0x8100, join(bytes(0, 7), inner)));
        add("priority tag", ether(0x8100, join(bytes(0xe0, 0), inner)));
        add("tag, TCP", ether(0x8100, join(bytes(0, 7, 8, 0), ip4(6, tcp(6, data(9))))));
        add("two tags", ether(0x88a8, join(bytes(0, 7, 0x81, 0, 0, 8), inner)));
        add("two tags of 802.1Q", ether(0x8100, join(bytes(0, 7, 0x81, 0, 0, 8), inner)));
        add("old QinQ", ether(0x9100, join(bytes(0, 7, 0x81, 0, 0, 8), inner)));
        add("three tags", ether(0x88a8, join(bytes(0, 7, 0x81, 0, 0, 8, 0x81, 0, 0, 9), inner)));
        add("tag with ARP", ether(0x8100, join(bytes(0, 7, 8, 6), arp())));
        add("tag with IPv6", ether(0x8100, join(bytes(0, 7, 0x86, 0xdd), ip6(17, udp(data(9))))));
        add("tag with nothing behind", ether(0x8100, bytes(0, 7)));
    }

    private void links() {
        byte[] packet = ip4(17, udp(data(30)));
        add("802.3, bridge", padded(ether(38, join(bytes(0x42, 0x42, 3), data(35)))));
        add("802.3, SNAP", ether(8 + packet.length, join(bytes(0xaa, 0xaa, 3, 0, 0, 0, 8, 0), packet)));
        add("802.3, SNAP of a vendor", ether(40, join(bytes(0xaa, 0xaa, 3, 0, 0, 0xc, 0x20, 0), data(32))));
        add("802.3, length 0", padded(ether(0, data(2))));
        add("LLDP", ether(0x88cc, join(bytes(2, 7, 4, 2, 0, 0, 0, 0, 1, 4, 2, 5, 1, 6, 2, 0, 60, 0, 0), new byte[40])));
        add("pause", padded(ether(0x8808, bytes(0, 1, 0, 9))));
        add("a type of its own", ether(0x88b5, data(100)));
        add("a type of its own, 9,000 bytes", ether(0x88b5, data(8986)));
        add("PPPoE", ether(0x8864, join(bytes(0x11, 0, 0, 9), two(2 + packet.length), bytes(0, 0x21), packet)));
        byte[] six = ip6(6, tcp(5, data(9)));
        add("PPPoE, IPv6", ether(0x8864, join(bytes(0x11, 0, 0, 9), two(2 + six.length), bytes(0, 0x57), six)));
        add("PPPoE, discovery", padded(ether(0x8863, bytes(0x11, 9, 0, 0, 0, 4, 1, 1, 0, 0))));
        add("MPLS", ether(0x8847, join(bytes(0, 1, 1, 64), packet)));
        add("MPLS, three labels, IPv6", ether(0x8847,
                join(bytes(0, 1, 0, 64, 0, 2, 0, 64, 0, 3, 1, 64), ip6(17, udp(data(9))))));
        add("Ethernet header alone", ether(0x88b5, new byte[0]));
        add("Ethernet header of IPv4 alone", ether(0x0800, new byte[0]));
        add("zeros", new byte[60]);
    }

    private void options() {
        add("IPv4 with one option word", ether(0x0800, ip4(6, 0, 17, udp(data(30)))));
        add("IPv4 with all option words", ether(0x0800, ip4(15, 0, 17, udp(data(30)))));
        add("IPv4 with options, TCP", ether(0x0800, ip4(7, 0, 6, tcp(8, data(30)))));
        add("IPv4 with options, padded", padded(ether(0x0800, ip4(6, 0, 17, udp(data(1))))));
        add("tag, IPv4 with options", ether(0x8100, join(bytes(0, 7, 8, 0), ip4(9, 0, 17, udp(data(30))))));
        add("IPv4, may not be cut", ether(0x0800, ip4(5, 0x4000, 17, udp(data(30)))));
        add("IPv4, authentication header", ether(0x0800, ip4(51, join(authentication(17), udp(data(12))))));
    }

    private void fragments() {
        add("first fragment, UDP", ether(0x0800, ip4(5, 0x2000, 17, udp(data(32)))));
        add("first fragment, TCP", ether(0x0800, ip4(5, 0x2000, 6, tcp(5, data(28)))));
        add("middle fragment, UDP", ether(0x0800, ip4(5, 0x2005, 17, data(40))));
        add("last fragment, UDP", ether(0x0800, ip4(5, 0x0005, 17, data(24))));
        add("last fragment, TCP, with options", ether(0x0800, ip4(8, 0x0005, 6, data(60))));
        add("last fragment, ping", ether(0x0800, ip4(5, 0x0100, 1, join(bytes(8, 0), data(40)))));
        add("first fragment, ping", ether(0x0800, ip4(5, 0x2000, 1, join(bytes(8, 0, 0, 0, 0, 1, 0, 2), data(24)))));
    }

    private void damaged() {
        byte[] good = ether(0x0800, ip4(17, udp(data(30))));
        add("IPv4, header cut", Arrays.copyOf(good, 30));
        add("IPv4, header of four words", with(good, 14, 0x44));
        add("IPv4, version 5", with(good, 14, 0x55));
        add("IPv4, options cut", Arrays.copyOf(ether(0x0800, ip4(15, 0, 17, udp(data(30)))), 60));
        add("IPv4, total length of less than the header", with(good, 17, 12));
        add("IPv4, total length of more than the frame", with(good, 16, 9));
        add("IPv4, wrong checksum", with(good, 24, 0x77));
        add("UDP, header cut", ether(0x0800, ip4(17, data(5))));
        add("UDP, header alone", ether(0x0800, ip4(17, udp(new byte[0]))));
        add("UDP, length of less than the packet", with(good, 39, 20));
        add("UDP, no checksum", with(with(good, 40, 0), 41, 0));
        add("TCP, header cut", ether(0x0800, ip4(6, data(11))));
        add("IPv4, no transport", ether(0x0800, ip4(17, new byte[0])));
        add("IPv6, header cut", Arrays.copyOf(ether(0x86dd, ip6(17, udp(data(30)))), 50));
    }

    private void transports() {
        add("TCP with options", ether(0x0800, ip4(6, tcp(10, data(30)))));
        add("TCP without data", ether(0x0800, ip4(6, tcp(5, new byte[0]))));
        add("IGMP", padded(ether(0x0800, ip4(2, bytes(0x16, 0, 0, 0, 0xe0, 0, 0, 5)))));
        add("SCTP", ether(0x0800, ip4(132, join(bytes(0, 9, 0, 10), data(28)))));
        add("a protocol for experiments", ether(0x0800, ip4(253, data(40))));
        add("ICMP with a packet inside", ether(0x0800,
                ip4(1, join(bytes(3, 3, 0, 0, 0, 0, 0, 0), ip4(17, udp(data(8)))))));
        add("ESP", ether(0x0800, ip4(50, data(48))));
    }

    private void tunnels() {
        add("IP in IP", ether(0x0800, ip4(4, ip4(17, udp(data(20))))));
        add("IPv6 in IPv4", ether(0x0800, ip4(41, ip6(6, tcp(5, data(20))))));
        add("IPv4 in IPv6", ether(0x86dd, ip6(4, ip4(17, udp(data(20))))));
        add("GRE", ether(0x0800, ip4(47, join(bytes(0, 0, 8, 0), ip4(17, udp(data(20)))))));
        add("VXLAN", ether(0x0800, ip4(17, udp(4789, join(bytes(8, 0, 0, 0, 0, 0, 9, 0), ether(0x0800,
                ip4(17, udp(data(20)))))))));
    }

    private void six() {
        add("IPv6, UDP", ether(0x86dd, ip6(17, udp(data(30)))));
        add("IPv6, TCP", ether(0x86dd, ip6(6, tcp(7, data(30)))));
        add("IPv6, padded", padded(ether(0x86dd, ip6(59, new byte[0]))));
        add("IPv6, UDP with much behind", join(ether(0x86dd, ip6(17, udp(data(3)))), data(50)));
        add("IPv6, neighbour", ether(0x86dd, ip6(58, join(bytes(135, 0, 0, 0, 0, 0, 0, 0), data(16)))));
        add("IPv6, ESP", ether(0x86dd, ip6(50, data(48))));
        add("IPv6, length of more than the frame", with(ether(0x86dd, ip6(17, udp(data(30)))), 18, 9));
    }

    private void extensions() {
        byte[] udp = udp(data(30));
        add("IPv6, hop by hop", ether(0x86dd, ip6(0, join(extension(17, 1), udp))));
        add("IPv6, routing", ether(0x86dd, ip6(43, join(bytes(17, 2, 0, 0, 0, 0, 0, 0), FOUR, FOUR, udp))));
        add("IPv6, options for the destination, long", ether(0x86dd, ip6(60, join(extension(6, 5), tcp(5, data(9))))));
        add("IPv6, three extension headers", ether(0x86dd,
                ip6(0, join(extension(60, 1), extension(44, 2), bytes(17, 0, 0, 0, 0, 0, 0, 9), udp))));
        add("IPv6, first fragment", ether(0x86dd, ip6(44, join(bytes(17, 0, 0, 1, 0, 0, 0, 9), udp(data(32))))));
        add("IPv6, later fragment", ether(0x86dd, ip6(44, join(bytes(17, 0, 0, 40, 0, 0, 0, 9), data(40)))));
        add("IPv6, later fragment of TCP", ether(0x86dd, ip6(44, join(bytes(6, 0, 0, 41, 0, 0, 0, 9), data(40)))));
        add("IPv6, authentication", ether(0x86dd, ip6(51, join(authentication(6), tcp(5, data(12))))));
        add("IPv6, extension header cut", Arrays.copyOf(ether(0x86dd, ip6(0, join(extension(17, 5), udp))), 60));
        add("IPv6, nothing behind an extension", ether(0x86dd, ip6(60, extension(59, 1))));
        add("IPv6, mobility", ether(0x86dd, ip6(135, bytes(59, 0, 0, 0, 0, 0, 0, 0))));
    }

    private void add(String name, byte[] frame) {
        if (frames.put(name, frame) != null || frame.length < ETHERNET_BYTES) {
            throw new IllegalArgumentException(name);
        }
    }

    private static byte[] ether(int type, byte[] inside) {
        return join(bytes(2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1), two(type), inside);
    }

    private static byte[] toAll(byte[] frame) {
        byte[] all = frame.clone();
        Arrays.fill(all, 0, 6, (byte) 0xff);
        return all;
    }

    private static byte[] padded(byte[] frame) {
        return Arrays.copyOf(frame, Math.max(60, frame.length));
    }

    private static byte[] with(byte[] frame, int at, int value) {
        byte[] changed = frame.clone();
        changed[at] = (byte) value;
        return changed;
    }

    private static byte[] ip4(int protocol, byte[] inside) {
        return ip4(5, 0, protocol, inside);
    }

    private static byte[] ip4(int words, int fragment, int protocol, byte[] inside) {
        byte[] header = join(bytes(0x40 | words, 0), two(4 * words + inside.length), bytes(0, 9), two(fragment),
                bytes(64, protocol, 0, 0), FOUR, options(4 * words - 20));
        int sum = sum(header, 0, header.length, 0);
        header[10] = (byte) (~sum >> 8);
        header[11] = (byte) ~sum;
        return join(header, sealed(protocol, fragment, FOUR, inside));
    }

    private static byte[] ip6(int next, byte[] inside) {
        byte[] addresses = new byte[32];
        addresses[0] = (byte) 0xfd;
        addresses[15] = 1;
        addresses[16] = (byte) 0xfd;
        addresses[31] = 2;
        return join(bytes(0x60, 0, 0, 0), two(inside.length), bytes(next, 64), addresses,
                sealed(next, 0, addresses, inside));
    }

    /** With the right checksum of TCP, UDP or ICMP where it can be known. */
    private static byte[] sealed(int protocol, int fragment, byte[] addresses, byte[] inside) {
        int at = protocol == 17 ? 6 : protocol == 6 ? 16 : protocol == 1 ? 2 : -1;
        if (at < 0 || (fragment & 0x3fff) != 0 || inside.length < at + 2) {
            return inside;
        }
        byte[] done = inside.clone();
        int pseudo = protocol == 1 ? 0 : sum(addresses, 0, addresses.length, protocol + inside.length);
        int sum = sum(done, 0, done.length, pseudo);
        done[at] = (byte) (~sum >> 8);
        done[at + 1] = (byte) ~sum;
        return done;
    }

    static int sum(byte[] data, int from, int to, int start) {
        int sum = start;
        for (int i = from; i < to; i++) {
            sum += (data[i] & 0xff) << ((i - from) % 2 == 0 ? 8 : 0);
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        return (sum & 0xffff) + (sum >>> 16);
    }

    private static byte[] options(int lengthBytes) {
        byte[] options = new byte[lengthBytes];
        Arrays.fill(options, (byte) 1); // no operation
        return options;
    }

    private static byte[] udp(byte[] inside) {
        return udp(40_009, inside);
    }

    private static byte[] udp(int port, byte[] inside) {
        return join(two(40_008), two(port), two(8 + inside.length), bytes(0, 0), inside);
    }

    private static byte[] tcp(int words, byte[] inside) {
        return join(two(40_010), two(40_011), bytes(0, 0, 0, 1, 0, 0, 0, 1, words << 4, 0x10, 1, 0, 0, 0, 0, 0),
                options(4 * words - 20), inside);
    }

    /** An extension header of {@code units} times eight bytes, filled by an option for padding. */
    private static byte[] extension(int next, int units) {
        byte[] header = new byte[8 * units];
        header[0] = (byte) next;
        header[1] = (byte) (units - 1);
        header[2] = 1;
        header[3] = (byte) (8 * units - 4);
        return header;
    }

    private static byte[] authentication(int next) {
        return join(bytes(next, 4, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1), data(12));
    }

    private static byte[] arp() {
        return join(bytes(0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10, 1, 2, 3, 0, 0, 0, 0, 0, 0, 10, 4, 5, 6));
    }

    private static byte[] data(int lengthBytes) {
        byte[] data = new byte[lengthBytes];
        new Random(lengthBytes).nextBytes(data);
        return data;
    }

    private static byte[] two(int value) {
        return bytes(value >> 8, value);
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
