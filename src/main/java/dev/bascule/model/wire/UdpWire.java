package dev.bascule.model.wire;

import dev.bascule.device.DeviceException;
import dev.bascule.model.WireEnd;
import dev.bascule.rpc.UdpDecoder;
import dev.bascule.rpc.UdpEncoder;
import dev.bascule.rpc.UdpFlow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * UDP sockets of this machine for a cable: a datagram that comes in arrives at the device as a frame, and what the device
 * sends to where one came from leaves by the socket. So other programs reach a model without TAP and without privileges. Only
 * UDP over IPv4 gets through.
 * <p>
 * Thread rule: {@code transmit} and {@code poll} from the thread of the port's device.
 */
public final class UdpWire implements WireEnd {
    private static final int MOST_BYTES = 65_000;
    private static final long PEER_MAC = 0x0200_0000_00feL;

    private final DatagramChannel[] channels;
    private final int[] ports;
    private final long mac;
    private final int ipv4;
    private final UdpFlow flow = new UdpFlow();
    private final byte[] frame = new byte[UdpEncoder.MOST_HEADER_BYTES + MOST_BYTES];
    private final ByteBuffer in = ByteBuffer.wrap(frame);
    private final UdpDecoder decoder = new UdpDecoder(MOST_BYTES);
    private final ByteBuffer out = ByteBuffer.wrap(decoder.payload());

    private UdpWire(DatagramChannel[] channels, int[] ports, long mac, int ipv4) {
        this.channels = channels;
        this.ports = ports;
        this.mac = mac;
        this.ipv4 = ipv4;
    }

    /**
     * Opens sockets.
     *
     * @param address of this machine to listen at; 0.0.0.0 for all
     * @param ports of UDP, each a socket; 0 lets the system choose
     * @param mac of the device
     * @param ipv4 of the device
     * @throws DeviceException if a port is taken or not allowed
     */
    public static UdpWire open(InetAddress address, int[] ports, long mac, int ipv4) {
        DatagramChannel[] channels = new DatagramChannel[ports.length];
        int[] bound = ports.clone();
        for (int i = 0; i < ports.length; i++) {
            try {
                channels[i] = DatagramChannel.open();
                channels[i].configureBlocking(false);
                channels[i].bind(new InetSocketAddress(address, ports[i]));
                bound[i] = ((InetSocketAddress) channels[i].getLocalAddress()).getPort();
            } catch (IOException e) {
                for (int opened = 0; opened <= i; opened++) {
                    close(channels[opened]);
                }
                throw new DeviceException("listen at UDP port", address.getHostAddress() + ":" + ports[i],
                        String.valueOf(e.getMessage()), "choose another port; ports below 1024 need root", e);
            }
        }
        return new UdpWire(channels, bound, mac, ipv4);
    }

    /** The port of a socket, as the system bound it. */
    public int port(int socket) {
        return ports[socket];
    }

    @Override
    public boolean transmit(byte[] data, int offset, int lengthBytes) {
        decoder.begin();
        decoder.feed(data, offset, lengthBytes);
        if (decoder.end() != UdpDecoder.Verdict.UDP || decoder.flow().isIpv6) {
            return false;
        }
        try {
            for (int i = 0; i < ports.length; i++) {
                if (ports[i] == decoder.flow().fromPort) {
                    out.clear().limit(decoder.payloadBytes());
                    return channels[i].send(out, target(decoder.flow())) > 0;
                }
            }
        } catch (IOException e) {
            return false; // nobody there, or no room
        }
        return false;
    }

    private static SocketAddress target(UdpFlow to) throws UnknownHostException {
        byte[] bytes = { (byte) (to.toLow >>> 24), (byte) (to.toLow >>> 16), (byte) (to.toLow >>> 8),
                (byte) to.toLow };
        return new InetSocketAddress(InetAddress.getByAddress(bytes), to.toPort);
    }

    @Override
    public int poll(FrameSink sink, int budget) {
        int count = 0;
        for (int i = 0; i < channels.length; i++) {
            while (count < budget && receive(i, sink)) {
                count++;
            }
        }
        return count;
    }

    private boolean receive(int socket, FrameSink sink) {
        try {
            in.clear().position(UdpEncoder.MOST_HEADER_BYTES);
            InetSocketAddress from = (InetSocketAddress) channels[socket].receive(in);
            if (from == null) {
                return false;
            }
            if (from.getAddress() instanceof Inet4Address address) {
                byte[] bytes = address.getAddress();
                flow.fromMac = PEER_MAC;
                flow.toMac = mac;
                flow.fromLow = (bytes[0] & 0xffL) << 24 | (bytes[1] & 0xff) << 16 | (bytes[2] & 0xff) << 8
                        | bytes[3] & 0xff;
                flow.toLow = ipv4 & 0xffff_ffffL;
                flow.fromPort = from.getPort();
                flow.toPort = ports[socket];
                int bytesOfPayload = in.position() - UdpEncoder.MOST_HEADER_BYTES;
                int start = UdpEncoder.wrap(flow, frame, UdpEncoder.MOST_HEADER_BYTES, bytesOfPayload);
                sink.frame(frame, start, in.position() - start);
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void close(DatagramChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        for (DatagramChannel channel : channels) {
            close(channel);
        }
    }
}
