package dev.bascule.host.lauberhorn;

import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.rpc.InternetChecksum;
import dev.bascule.rpc.Xdr;

/**
 * Answers to frames that are no RPC, as the kernel gives them: to ARP requests (RFC 826), neighbour solicitations and
 * echo requests (RFC 792), so that other machines find this one. Nothing else is answered.
 * <p>
 * Thread rule: one thread.
 */
public final class BypassFrames {
    private static final int ARP_BYTES = 42;
    private static final int TYPE_ARP = 0x0806;
    private static final int TYPE_IPV4 = 0x0800;
    private static final int ICMP = 1;
    private static final int ECHO_REQUEST = 8;

    private static final int TYPE_IPV6 = 0x86dd;

    private final NicAddress address;
    private final Ipv6Frames ipv6;

    /** As a host at this address. */
    public BypassFrames(NicAddress address) {
        this.address = address;
        ipv6 = new Ipv6Frames(address);
    }

    /** Makes the answer in place of the frame; returns its length, 0 if there is none. */
    public int answer(byte[] frame, int length) {
        if (length < ARP_BYTES) {
            return 0;
        }
        int type = be16(frame, 12);
        return switch (type) {
            case TYPE_ARP -> arp(frame);
            case TYPE_IPV4 -> echo(frame, length);
            case TYPE_IPV6 -> ipv6.answer(frame, length);
            default -> 0;
        };
    }

    private int arp(byte[] frame) {
        boolean isRequest = be16(frame, 14) == 1 && be16(frame, 16) == TYPE_IPV4 && be16(frame, 20) == 1;
        if (!isRequest || Xdr.getInt(frame, 38) != address.ipv4()) {
            return 0;
        }
        System.arraycopy(frame, 22, frame, 32, 10); // who asked is the target
        put16(frame, 20, 2);
        putMac(frame, 22, address.mac());
        Xdr.putInt(frame, 28, address.ipv4());
        turn(frame);
        return ARP_BYTES;
    }

    private int echo(byte[] frame, int length) {
        int header = (frame[14] & 0xf) << 2;
        int total = be16(frame, 16);
        int icmp = 14 + header;
        boolean isMine = frame[14] >>> 4 == 4 && header >= 20 && frame[23] == ICMP && total >= header + 8
                && 14 + total <= length && Xdr.getInt(frame, 30) == address.ipv4();
        if (!isMine || frame[icmp] != ECHO_REQUEST) {
            return 0;
        }
        Xdr.putInt(frame, 30, Xdr.getInt(frame, 26));
        Xdr.putInt(frame, 26, address.ipv4());
        frame[icmp] = 0;
        put16(frame, icmp + 2, 0);
        put16(frame, icmp + 2, ~InternetChecksum.fold(InternetChecksum.add(frame, icmp, total - header, 0)));
        turn(frame);
        return 14 + total;
    }

    private void turn(byte[] frame) {
        System.arraycopy(frame, 6, frame, 0, 6);
        putMac(frame, 6, address.mac());
    }

    private static void putMac(byte[] frame, int at, long mac) {
        put16(frame, at, (int) (mac >>> 32));
        Xdr.putInt(frame, at + 2, (int) mac);
    }

    private static int be16(byte[] frame, int at) {
        return (frame[at] & 0xff) << 8 | frame[at + 1] & 0xff;
    }

    private static void put16(byte[] frame, int at, int value) {
        frame[at] = (byte) (value >>> 8);
        frame[at + 1] = (byte) value;
    }
}
