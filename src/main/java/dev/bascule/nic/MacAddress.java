package dev.bascule.nic;

/**
 * An Ethernet address.
 *
 * @param value its six bytes, the first on the wire highest
 */
public record MacAddress(long value) {
    private static final long BYTES = 0xFFFF_FFFF_FFFFL;
    private static final long MULTICAST = 1L << 40;

    /** Checks the range; {@link IllegalArgumentException} if it is no 48 bits. */
    public MacAddress {
        if ((value & ~BYTES) != 0) {
            throw new IllegalArgumentException(
                    "an Ethernet address of more than 48 bits: 0x" + Long.toHexString(value));
        }
    }

    /** Reads {@code 02:00:00:00:00:01}; {@link IllegalArgumentException} if it is not of that form. */
    public static MacAddress parse(String text) {
        if (!text.matches("([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}")) {
            throw new IllegalArgumentException("'" + text + "' is no Ethernet address, such as 02:00:00:00:00:01");
        }
        return new MacAddress(Long.parseLong(text.replace(":", ""), 16));
    }

    /** Whether a station can have it: it is not of a group, and not zero. */
    public boolean isStation() {
        return value != 0 && (value & MULTICAST) == 0;
    }

    /** As {@code 02:00:00:00:00:01}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(17);
        for (int shift = 40; shift >= 0; shift -= 8) {
            text.append("%02x".formatted(value >>> shift & 0xFF)).append(shift == 0 ? "" : ":");
        }
        return text.toString();
    }
}
