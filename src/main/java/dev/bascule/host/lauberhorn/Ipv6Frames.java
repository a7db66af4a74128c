package dev.bascule.host.lauberhorn;

import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.rpc.InternetChecksum;
import dev.bascule.rpc.Xdr;

/**
 * Answers to IPv6 frames that are no RPC, as the kernel gives them: to neighbour solicitations (RFC 4861, 7.2.4) and
 * echo requests (RFC 4443), so that other machines find this one. They are made in place of the frame.
 * <p>
 * Thread rule: one thread.
 */
final class Ipv6Frames {
    private static final int IP = 14;
    private static final int SOURCE = IP + 8;
    private static final int TARGET = IP + 24;
    private static final int ICMP = IP + 40;
    private static final int PROTOCOL_ICMP = 58;
    private static final int ECHO_REQUEST = 128;
    private static final int ECHO_REPLY = 129;
    private static final int SOLICITATION = 135;
    private static final int ADVERTISEMENT = 136;
    private static final int SOLICITATION_BYTES = 24;
    private static final int ADVERTISEMENT_BYTES = 32;
    private static final int SOLICITED_OVERRIDE = 0x6000_0000;
    private static final int TARGET_LINK_ADDRESS = 0x0201;
    private static final int HOPS = 255;

    private final NicAddress address;

    Ipv6Frames(NicAddress address) {
        this.address = address;
    }

    /** Makes the answer in place of the frame; returns its length, 0 if there is none. */
    int answer(byte[] frame, int length) {
        int bytes = length < ICMP + 8 ? 0 : (frame[IP + 4] & 0xff) << 8 | frame[IP + 5] & 0xff;
        boolean isIcmp = bytes >= 8 && ICMP + bytes <= length && frame[IP] >>> 4 == 6
                && frame[IP + 6] == PROTOCOL_ICMP && !isNobody(frame);
        if (!isIcmp || InternetChecksum.fold(sum(frame, bytes)) != 0xffff) {
            return 0;
        }
        return switch (frame[ICMP] & 0xff) {
            case SOLICITATION ->
                bytes >= SOLICITATION_BYTES && (frame[IP + 7] & 0xff) == HOPS && isMine(frame, ICMP + 8)
                        && frame.length >= ICMP + ADVERTISEMENT_BYTES ? advertise(frame) : 0;
            case ECHO_REQUEST -> isMine(frame, TARGET) ? send(frame, ECHO_REPLY, bytes) : 0;
            default -> 0;
        };
    }

    private boolean isMine(byte[] frame, int at) {
        return (address.ipv6High() | address.ipv6Low()) != 0 && word(frame, at) == address.ipv6High()
                && word(frame, at + 8) == address.ipv6Low();
    }

    /** A sender that only asks whether somebody has its address, or a group. */
    private static boolean isNobody(byte[] frame) {
        return (word(frame, SOURCE) | word(frame, SOURCE + 8)) == 0 || frame[SOURCE] == (byte) 0xff;
    }

    private int advertise(byte[] frame) {
        Xdr.putInt(frame, ICMP + 4, SOLICITED_OVERRIDE);
        put16(frame, ICMP + 24, TARGET_LINK_ADDRESS); // its type, and its length in units of 8 bytes
        putMac(frame, ICMP + 26, address.mac());
        return send(frame, ADVERTISEMENT, ADVERTISEMENT_BYTES);
    }

    private int send(byte[] frame, int type, int bytes) {
        System.arraycopy(frame, 6, frame, 0, 6);
        putMac(frame, 6, address.mac());
        put16(frame, IP + 4, bytes);
        frame[IP + 7] = (byte) HOPS;
        System.arraycopy(frame, SOURCE, frame, TARGET, 16);
        putWord(frame, SOURCE, address.ipv6High());
        putWord(frame, SOURCE + 8, address.ipv6Low());
        frame[ICMP] = (byte) type;
        put16(frame, ICMP + 2, 0);
        put16(frame, ICMP + 2, ~InternetChecksum.fold(sum(frame, bytes)));
        return ICMP + bytes;
    }

    private static long sum(byte[] frame, int bytes) {
        return InternetChecksum.add(frame, ICMP, bytes,
                InternetChecksum.add(frame, SOURCE, 32, (long) PROTOCOL_ICMP + bytes));
    }

    private static long word(byte[] frame, int at) {
        return (long) Xdr.getInt(frame, at) << 32 | Xdr.getInt(frame, at + 4) & 0xffff_ffffL;
    }

    private static void putWord(byte[] frame, int at, long value) {
        Xdr.putInt(frame, at, (int) (value >>> 32));
        Xdr.putInt(frame, at + 4, (int) value);
    }

    private static void putMac(byte[] frame, int at, long mac) {
        put16(frame, at, (int) (mac >>> 32));
        Xdr.putInt(frame, at + 2, (int) mac);
    }

    private static void put16(byte[] frame, int at, int value) {
        frame[at] = (byte) (value >>> 8);
        frame[at + 1] = (byte) value;
    }
}
