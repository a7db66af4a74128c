package dev.bascule.nic.corundum;

/**
 * Descriptors, completions and events of Corundum (mqnic) in host memory. Little endian; offsets and lengths in bytes.
 * Constants only.
 */
public final class MqnicFormats {
    private MqnicFormats() {}

    // Descriptor
    public static final int DESCRIPTOR_BYTES = 16;
    public static final int DESCRIPTOR_TX_CHECKSUM = 2;
    public static final int DESCRIPTOR_LENGTH = 4;
    public static final int DESCRIPTOR_ADDRESS = 8;
    /** Log2 of the largest number of descriptors in a block. */
    public static final int MAX_LOG_DESCRIPTOR_BLOCK = 3;
    /** TX checksum command, in the first descriptor of a block. */
    public static final int TX_CHECKSUM_ENABLE = 1 << 15;
    /** Where the checksum field lies from the start, bits 14 to 8. */
    public static final int TX_CHECKSUM_OFFSET_SHIFT = 8;
    public static final int TX_CHECKSUM_OFFSET_MASK = 0x7F;
    /** Where the sum starts, bits 6 to 0; bit 7 is ignored. */
    public static final int TX_CHECKSUM_START_MASK = 0x7F;

    // Completion and event
    public static final int COMPLETION_BYTES = 32;
    public static final int COMPLETION_PHASE = 31;
    public static final int COMPLETION_PHASE_BIT = 0x80;

    public static final int COMPLETION_QUEUE = 0;
    public static final int COMPLETION_INDEX = 2;
    public static final int COMPLETION_LENGTH = 4;
    /** Fraction of a nanosecond, 16 bits; 0 in the December 2023 design. */
    public static final int COMPLETION_FRACTION = 6;
    public static final int COMPLETION_NANOS = 8;
    public static final int COMPLETION_SECONDS = 12;
    public static final int COMPLETION_RX_CHECKSUM = 14;
    public static final int COMPLETION_RX_HASH = 16;
    public static final int COMPLETION_RX_HASH_TYPE = 20;
    /** RX: port. TX: destination, port in the upper and traffic class in the lower four bits. */
    public static final int COMPLETION_PORT = 21;

    public static final int HASH_TYPE_IPV4 = 1;
    public static final int HASH_TYPE_IPV6 = 1 << 1;
    public static final int HASH_TYPE_TCP = 1 << 2;
    public static final int HASH_TYPE_UDP = 1 << 3;

    /** All bits of a hash type; with none of them set there is no hash, whatever the field holds. */
    public static final int HASH_TYPES = HASH_TYPE_IPV4 | HASH_TYPE_IPV6 | HASH_TYPE_TCP | HASH_TYPE_UDP;

    public static final int EVENT_TYPE = 0;
    public static final int EVENT_TYPE_COMPLETION = 0;
    public static final int EVENT_SOURCE = 2;

    /** First byte the RX checksum covers; it covers everything to the end of the frame. */
    public static final int RX_CHECKSUM_START = 14;

    /** Key of the Toeplitz hash, as 32-bit big-endian words; it cannot be changed. */
    public static final String HASH_KEY = "6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa";
}
