package dev.bascule.rdma;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * An address in a port's table.
 *
 * @param index in the table
 * @param bytes 16 bytes: an IPv6 address, of IPv4 the mapped form, or an InfiniBand GID
 * @param type {@code RoCE v2}, {@code IB/RoCE v1} or empty
 */
public record RdmaGid(int index, byte[] bytes, String type) {
    /** Copies the bytes. */
    public RdmaGid {
        bytes = bytes.clone();
    }

    /** Whether packets to it are routed by UDP (RoCE version 2) or by InfiniBand. */
    boolean isRoutable() {
        return !type.contains("v1") || type.isEmpty();
    }

    boolean isV2() {
        return type.contains("v2");
    }

    boolean isIpv4() {
        for (int i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return bytes[10] == (byte) 0xff && bytes[11] == (byte) 0xff;
    }

    boolean is(InetAddress address) {
        byte[] wanted = address.getAddress();
        return isIpv4()
                ? Arrays.equals(Arrays.copyOfRange(bytes, 12, 16), wanted)
                : Arrays.equals(bytes, wanted);
    }

    /** For people. */
    @Override
    public String toString() {
        try {
            byte[] shown = isIpv4() ? Arrays.copyOfRange(bytes, 12, 16) : bytes;
            return InetAddress.getByAddress(shown).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // 4 or 16 bytes always are an address
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RdmaGid gid && gid.index == index && Arrays.equals(gid.bytes, bytes)
                && gid.type.equals(type);
    }

    @Override
    public int hashCode() {
        return 31 * index + Arrays.hashCode(bytes);
    }
}
