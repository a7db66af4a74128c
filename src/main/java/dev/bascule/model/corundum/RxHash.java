package dev.bascule.model.corundum;

import dev.bascule.nic.corundum.MqnicFormats;

/**
 * Hash and hash type of a received frame: addresses of untagged IPv4, with ports for TCP and UDP without options. The
 * version nibble and fragment bits are not looked at [RTL].
 */
final class RxHash {
    private static final int ETHERTYPE = 12;
    private static final int IPV4_HIGH = 0x08;
    private static final int HEADER_LENGTH = 14;
    private static final int NO_OPTIONS = 5;
    private static final int PROTOCOL = 23;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ADDRESSES = 26;
    private static final int ADDRESSES_LENGTH = 8;
    private static final int TUPLE_LENGTH = 12;

    int hash;
    int type;

    void compute(byte[] data, int offset, int lengthBytes) {
        hash = 0;
        type = 0;
        if (lengthBytes < ADDRESSES + ADDRESSES_LENGTH || data[offset + ETHERTYPE] != IPV4_HIGH
                || data[offset + ETHERTYPE + 1] != 0) {
            return;
        }
        type = MqnicFormats.HASH_TYPE_IPV4;
        int hashed = ADDRESSES_LENGTH;
        if ((data[offset + HEADER_LENGTH] & 0xF) == NO_OPTIONS && lengthBytes >= ADDRESSES + TUPLE_LENGTH) {
            int protocol = data[offset + PROTOCOL];
            if (protocol == TCP || protocol == UDP) {
                type |= protocol == TCP ? MqnicFormats.HASH_TYPE_TCP : MqnicFormats.HASH_TYPE_UDP;
                hashed = TUPLE_LENGTH;
            }
        }
        hash = Toeplitz.hash(data, offset + ADDRESSES, hashed);
    }
}
