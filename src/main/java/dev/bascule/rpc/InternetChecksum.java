package dev.bascule.rpc;

/** The Internet checksum (RFC 1071). Thread rule: any thread. */
public final class InternetChecksum {
    private InternetChecksum() {}

    /** Adds bytes, in pairs from the first on, to a sum that is folded later. */
    public static long add(byte[] from, int offset, int bytes, long sum) {
        long total = sum;
        int at = offset;
        int end = offset + (bytes & ~3);
        for (; at < end; at += 4) {
            total += Xdr.getInt(from, at) & 0xffff_ffffL;
        }
        end = offset + bytes;
        if (end - at >= 2) {
            total += (from[at] & 0xff) << 8 | from[at + 1] & 0xff;
            at += 2;
        }
        if (at < end) {
            total += (from[at] & 0xff) << 8;
        }
        return total;
    }

    /** The sum in 16 bits; 0xffff over data with their checksum. */
    public static int fold(long sum) {
        long folded = (sum & 0xffff_ffffL) + (sum >>> 32);
        folded = (folded & 0xffff) + (folded >>> 16);
        folded = (folded & 0xffff) + (folded >>> 16);
        return (int) ((folded & 0xffff) + (folded >>> 16));
    }
}
