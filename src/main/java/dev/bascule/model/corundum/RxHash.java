package dev.bascule.model.corundum;

import dev.bascule.config.ModelTiming;
import dev.bascule.nic.corundum.MqnicFormats;
import java.util.Arrays;

/**
 * Hash and hash type of a received frame: addresses of untagged IPv4, with ports for TCP and UDP without options. The
 * version nibble and fragment bits are not looked at [RTL].
 */
final class RxHash {
    private static final int ETHERTYPE = 12;
    private static final int HEADER_LENGTH = 14;
    private static final int NO_OPTIONS = 5;
    private static final int PROTOCOL = 23;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ADDRESSES = 26;
    private static final int ADDRESSES_LENGTH = 8;
    private static final int TUPLE_LENGTH = 12;

    /** The counter of beats wraps after so many bytes while it looks for the end of the headers [RTL]. */
    private static final int WRAP_BYTES = 64;
    private static final int IPV4 = 0x0800;
    private static final int IPV6 = 0x86DD;

    private final boolean wraps;
    private final byte[] beat = new byte[WRAP_BYTES];
    int hash;
    int type;

    /** @param timing with that of the RTL, the counter of beats wraps as there */
    RxHash(ModelTiming timing) {
        wraps = timing == ModelTiming.RTL;
    }

    void compute(byte[] data, int offset, int lengthBytes) {
        whole(data, offset, lengthBytes);
        if (wraps && type == 0 && lengthBytes > ETHERTYPE + 1 && ethertype(data, offset) == IPV6) {
            wrapped(data, offset, lengthBytes);
        }
    }

    /** An IPv6 frame is looked at anew after every wrap: a payload that looks like IPv4 gives a hash, without a type [RTL]. */
    private void wrapped(byte[] data, int offset, int lengthBytes) {
        int at = WRAP_BYTES;
        while (at + ETHERTYPE + 1 < lengthBytes && ethertype(data, offset + at) == IPV6) {
            at += WRAP_BYTES;
        }
        if (at + ETHERTYPE + 1 < lengthBytes && ethertype(data, offset + at) == IPV4) {
            Arrays.fill(beat, (byte) 0);
            System.arraycopy(data, offset + at, beat, 0, Math.min(WRAP_BYTES, lengthBytes - at));
            whole(beat, 0, WRAP_BYTES);
            type = 0;
        }
    }

    private static int ethertype(byte[] data, int offset) {
        return (data[offset + ETHERTYPE] & 0xFF) << 8 | data[offset + ETHERTYPE + 1] & 0xFF;
    }

    private void whole(byte[] data, int offset, int lengthBytes) {
        hash = 0;
        type = 0;
        if (lengthBytes < ADDRESSES + ADDRESSES_LENGTH || ethertype(data, offset) != IPV4) {
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
