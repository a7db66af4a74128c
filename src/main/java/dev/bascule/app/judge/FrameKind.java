package dev.bascule.app.judge;

import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Sorts of frames that a card meets. {@link #write} puts headers over a frame whose bytes are random: every length field
 * fits the frame, and checksums of IPv4, UDP and TCP are right.
 */
enum FrameKind {
    /** A type that no standard has. */
    ETHERNET(60),
    /** 802.3: a length in the place of the type. */
    LENGTH_FIELD(60),
    /** One tag, unknown type. */
    VLAN(64),
    /** A tag of the provider and one of the customer, then IPv4. */
    QINQ(64),
    /** 42 bytes and their padding. */
    ARP(60),
    /** Link discovery, to its multicast station. */
    LLDP(60),
    /** IPv4 to a multicast station. */
    MULTICAST(60),
    /** IPv4 to all stations. */
    BROADCAST(60),
    /** An unknown protocol over IPv4. */
    IPV4(60),
    /** IPv4 with options. */
    IPV4_OPTIONS(64),
    /** A later fragment, without ports. */
    FRAGMENT(60),
    /** Over IPv4. */
    UDP(60),
    /** Over IPv4. */
    TCP(60),
    /** UDP over IPv4 behind a tag. */
    VLAN_UDP(64),
    /** An unknown next header. */
    IPV6(64),
    /** Over IPv6. */
    UDP6(64),
    /** Over IPv6. */
    TCP6(76);

    /** Station and type. */
    static final int HEADER = 14;
    /** Longest value of the length field. */
    private static final int MOST_LENGTH = 1500;
    private static final int PADDED = 42;
    private static final int SYN = 2;

    private final int shortest;

    FrameKind(int shortest) {
        this.shortest = shortest;
    }

    /** Name for people. */
    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** A length that it can have, the nearest one to {@code wanted}. */
    int fit(int wanted) {
        return switch (this) {
            case ARP -> shortest;
            case LENGTH_FIELD -> Math.clamp(wanted, shortest, HEADER + MOST_LENGTH);
            default -> Math.max(wanted, shortest);
        };
    }

    /** Bytes without padding, which a card may leave out. */
    int contentBytes(int length) {
        return this == ARP ? PADDED : length;
    }

    /** Where the checksum of UDP or TCP begins to count, -1 for other kinds; over IP without options. */
    int transportAt() {
        return switch (this) {
            case UDP, TCP -> HEADER + 20;
            case VLAN_UDP -> HEADER + 24;
            case UDP6, TCP6 -> HEADER + 40;
            default -> -1;
        };
    }

    /** Where that checksum is. */
    int checksumAt() {
        return transportAt() + (isTcp() ? 16 : 6);
    }

    private boolean isTcp() {
        return this == TCP || this == TCP6;
    }

    /** The headers behind the two stations. {@code flow} draws addresses and ports. */
    void write(byte[] frame, int length, SplittableRandom flow) {
        switch (this) {
            case ETHERNET -> Bytes.put16(frame, 12, 0x9000 + flow.nextInt(0x800) | 1);
            case LENGTH_FIELD -> Bytes.put16(frame, 12, length - HEADER);
            case VLAN -> {
                Bytes.put16(frame, 12, 0x8100);
                Bytes.put16(frame, 16, 0x9001);
            }
            case QINQ -> {
                Bytes.put16(frame, 12, 0x88A8);
                Bytes.put16(frame, 16, 0x8100);
                Bytes.put16(frame, 20, 0x0800);
                ipv4(frame, 22, length, 20, 253, flow);
            }
            case ARP -> Bytes.put(frame, 12, 0x0806, 1, 0x0800, 0x0604, 1);
            case LLDP -> Bytes.put16(frame, 12, 0x88CC);
            case IPV4, MULTICAST, BROADCAST -> untagged(frame, length, 20, 253, flow);
            case IPV4_OPTIONS -> untagged(frame, length, 28, 253, flow);
            case FRAGMENT -> untagged(frame, length, 20, 17, flow);
            case UDP, TCP -> {
                untagged(frame, length, 20, isTcp() ? 6 : 17, flow);
                transport(frame, length, flow);
            }
            case VLAN_UDP -> {
                Bytes.put16(frame, 12, 0x8100);
                Bytes.put16(frame, 16, 0x0800);
                ipv4(frame, 18, length, 20, 17, flow);
                transport(frame, length, flow);
            }
            case IPV6 -> ipv6(frame, length, 59, flow);
            case UDP6, TCP6 -> {
                ipv6(frame, length, isTcp() ? 6 : 17, flow);
                transport(frame, length, flow);
            }
        }
    }

    private void untagged(byte[] frame, int length, int header, int protocol, SplittableRandom flow) {
        Bytes.put16(frame, 12, 0x0800);
        ipv4(frame, HEADER, length, header, protocol, flow);
    }

    private void ipv4(byte[] frame, int at, int length, int header, int protocol, SplittableRandom flow) {
        Bytes.put(frame, at, 0x4000 | ((header / 4) << 8), length - at, flow.nextInt(0x10000),
                this == FRAGMENT ? 0x2000 | 1 + flow.nextInt(0x1000) : 0x4000, 64 << 8 | protocol, 0, 0xC612,
                flow.nextInt(0x10000), 0xC613, flow.nextInt(0x10000));
        for (int option = at + 20; option < at + header; option++) {
            frame[option] = 1; // no operation
        }
        Bytes.put16(frame, at + 10, ~Bytes.sum(frame, at, at + header));
    }

    private static void ipv6(byte[] frame, int length, int next, SplittableRandom flow) {
        Bytes.put(frame, 12, 0x86DD, 0x6000, 0, length - HEADER - 40, next << 8 | 64);
        for (int half = 0; half < 2; half++) {
            Bytes.put(frame, HEADER + 8 + 16 * half, 0xFD00, half, 0, 0, 0, 0, flow.nextInt(0x10000),
                    flow.nextInt(0x10000));
        }
    }

    private void transport(byte[] frame, int length, SplittableRandom flow) {
        int at = transportAt();
        Bytes.put(frame, at, 1024 + flow.nextInt(60_000), 1024 + flow.nextInt(60_000));
        if (isTcp()) {
            frame[at + 12] = 0x50;
            frame[at + 13] &= ~SYN; // cards may steer the first frame of a connection apart
        } else {
            Bytes.put16(frame, at + 4, length - at);
        }
        askForChecksum(frame, length);
        Bytes.put16(frame, checksumAt(), ~Bytes.sum(frame, at, length));
    }

    /** Leaves in the checksum's field what a card adds its sum to: the sum of the pseudo header. */
    void askForChecksum(byte[] frame, int length) {
        int at = transportAt();
        boolean six = this == UDP6 || this == TCP6;
        Bytes.put16(frame, checksumAt(),
                Bytes.fold((isTcp() ? 6 : 17) + length - at + Bytes.sum(frame, at - (six ? 32 : 8), at)));
    }
}
