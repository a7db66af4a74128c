package dev.bascule.model.enso;

/**
 * The lookup key the parser takes from the first 64 bytes of a frame. The layout is fixed (Ethernet, IPv4 without
 * options) and nothing is checked, so other frames give a key all the same. UDP, and TCP with SYN set, look up by
 * destination; other TCP by all four fields; everything else by destination address. One object, reused.
 */
final class FlowKey {
    private static final int PROTOCOL = 23;
    private static final int SOURCE_IP = 26;
    private static final int DESTINATION_IP = 30;
    private static final int SOURCE_PORT = 34;
    private static final int DESTINATION_PORT = 36;
    private static final int TCP_FLAGS = 47;
    private static final int SYN = 0x02;
    private static final int TCP = 6;
    private static final int UDP = 17;

    int sourceIp;
    int sourcePort;
    int destinationIp;
    int destinationPort;

    /** Parses the flit at the start of {@code frame} (at least 64 bytes, zero padded). */
    void parse(byte[] frame) {
        int protocol = frame[PROTOCOL] & 0xFF;
        boolean bySource = protocol == TCP && (frame[TCP_FLAGS] & SYN) == 0;
        boolean byPort = protocol == TCP || protocol == UDP;
        sourceIp = bySource ? Bytes.networkU32(frame, SOURCE_IP) : 0;
        sourcePort = bySource ? Bytes.networkU16(frame, SOURCE_PORT) : 0;
        destinationIp = Bytes.networkU32(frame, DESTINATION_IP);
        destinationPort = byPort ? Bytes.networkU16(frame, DESTINATION_PORT) : 0;
    }

    int hash(int seed) {
        return FlowHash.hash(sourceIp, sourcePort, destinationIp, destinationPort, seed);
    }
}
