package dev.bascule.nic.dpdk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Flows that the kernel sends into a TAP interface: UDP over IPv6 multicast, which needs no address of ours and no route. */
final class TapFlows {
    private static final int PORT = 7;
    private static final long WAIT_NANOS = 5_000_000_000L;
    private static final int SOURCE_PORT_AT = 14 + 40;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private TapFlows() {}

    /** Whether this process may make a TAP interface and the kernel would send over it. */
    static boolean possible() throws IOException {
        return Files.isWritable(Path.of("/dev/net/tun")) && Files.exists(Path.of("/proc/sys/net/ipv6"))
                && Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    /** Sends {@code packets} of each of {@code flows} flows, told apart by their source port; waits for the link first. */
    static void send(String interfaceName, int flows, int packets) throws IOException, InterruptedException {
        long start = System.nanoTime();
        NetworkInterface link = NetworkInterface.getByName(interfaceName);
        while ((link == null || link.inetAddresses().noneMatch(Inet6Address.class::isInstance))
                && System.nanoTime() - start < WAIT_NANOS) {
            Thread.sleep(20);
            link = NetworkInterface.getByName(interfaceName);
        }
        InetAddress everybody = InetAddress.getByName("ff02::b5c1");
        List<DatagramSocket> open = open(flows); // till the end: a port that is closed may be given again
        try {
            for (DatagramSocket socket : open) {
                socket.setOption(StandardSocketOptions.IP_MULTICAST_IF, link);
                for (int i = 0; i < packets; i++) {
                    sendOnce(socket, new DatagramPacket(new byte[32], 32, everybody, PORT), start);
                }
            }
        } finally {
            open.forEach(DatagramSocket::close);
        }
    }

    /** A socket for each flow, each with a port of its own: a MulticastSocket would let others have its port as well. */
    static List<DatagramSocket> open(int flows) throws IOException {
        List<DatagramSocket> open = new ArrayList<>();
        for (int flow = 0; flow < flows; flow++) {
            open.add(new DatagramSocket());
        }
        return open;
    }

    /** An address that was just given is not to be used for a second or two. */
    private static void sendOnce(DatagramSocket socket, DatagramPacket packet, long start)
            throws IOException, InterruptedException {
        while (true) {
            try {
                socket.send(packet);
                return;
            } catch (IOException e) {
                if (System.nanoTime() - start > WAIT_NANOS) {
                    throw e;
                }
                Thread.sleep(50);
            }
        }
    }

    /** The source port of one of these packets, or -1 if the kernel sent it of its own accord. */
    static int flow(MemorySegment memory, long offset, int lengthBytes) {
        boolean ours = lengthBytes >= SOURCE_PORT_AT + 8 && memory.get(U16, offset + 12) == (short) 0x86DD
                && memory.get(ValueLayout.JAVA_BYTE, offset + 20) == 17
                && memory.get(U16, offset + SOURCE_PORT_AT + 2) == PORT;
        return ours ? memory.get(U16, offset + SOURCE_PORT_AT) & 0xFFFF : -1;
    }
}
