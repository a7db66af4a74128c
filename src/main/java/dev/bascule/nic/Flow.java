package dev.bascule.nic;

/**
 * Fields by which a device steers packets. Host byte order; the device decides what a field of 0 means. On Ensō a TCP
 * connection is given by all four fields, a listening TCP port and UDP by the destination alone, other protocols by its
 * address alone.
 *
 * @param destinationIp IPv4 address
 * @param destinationPort 0 to 65535
 * @param sourceIp IPv4 address, 0 for any sender
 * @param sourcePort 0 to 65535, 0 for any sender
 * @param protocol IP protocol number; devices may ignore it
 */
public record Flow(int destinationIp, int destinationPort, int sourceIp, int sourcePort, int protocol) {
    /** Checks the ranges; {@link IllegalArgumentException} if one does not fit. */
    public Flow {
        check("destination port", destinationPort, 65535);
        check("source port", sourcePort, 65535);
        check("protocol", protocol, 255);
    }

    /** Everything sent to a UDP port or to a listening TCP port, from any sender. */
    public static Flow to(int destinationIp, int destinationPort) {
        return new Flow(destinationIp, destinationPort, 0, 0, 0);
    }

    private static void check(String name, int value, int largest) {
        if (value < 0 || value > largest) {
            throw new IllegalArgumentException("flow: " + name + " " + value + " is not 0 to " + largest);
        }
    }
}
