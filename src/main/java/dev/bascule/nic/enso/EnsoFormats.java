package dev.bascule.nic.enso;

/**
 * Formats of what an Ensō NIC and its host exchange through host memory: notifications, TX entries, configuration
 * entries. Everything is little endian; offsets and sizes are bytes unless the name says flits or entries.
 */
public final class EnsoFormats {
    /** The unit of pipes: heads and tails of a pipe count flits. */
    public static final int FLIT_BYTES = 64;
    /** One entry of a notification ring, RX or TX; heads and tails of these rings count entries. */
    public static final int ENTRY_BYTES = 64;
    /** Largest packet the design is built for (no jumbo frames). */
    public static final int MAX_PACKET_FLITS = 24;
    /** Largest DMA write of received data. */
    public static final int MAX_BURST_FLITS = 8;
    /** Largest DMA read of TX entries. */
    public static final int MAX_READ_ENTRIES = 256;

    /** Ring arithmetic uses this many low bits of heads and tails. */
    public static final int POINTER_BITS = 20;
    /** Mask of {@link #POINTER_BITS}. */
    public static final int POINTER_MASK = (1 << POINTER_BITS) - 1;
    /** Low bits of a pipe's address that name its notification buffer. */
    public static final int BUFFER_ID_MASK = 0x3FF;

    /** Ring sizes and credits the board tool sets after loading a bitstream. */
    public static final int DEFAULT_PIPE_RING_FLITS = 32768;
    /** Entries of the RX ring and of the TX ring of a notification buffer. */
    public static final int DEFAULT_NOTIFICATION_RING_ENTRIES = 16384;
    /** TX entries requested and not yet returned. */
    public static final int DEFAULT_INFLIGHT_ENTRIES = 500;

    /** Every entry: u64, what it is. */
    public static final int SIGNAL = 0;
    /** TX entry: completed (the device writes it). */
    public static final long SIGNAL_DONE = 0;
    /** RX notification present, or TX data entry. */
    public static final long SIGNAL_DATA = 1;
    /** TX configuration entry. Every other value of a TX entry is data. */
    public static final long SIGNAL_CONFIG = 2;

    /** RX notification: u64, the pipe. */
    public static final int RX_PIPE = 8;
    /** RX notification: u64, the pipe's new tail in flits. */
    public static final int RX_TAIL = 16;

    /** TX data entry and completion: u64, device address of the data. */
    public static final int TX_ADDRESS = 8;
    /** TX data entry and completion: u64, length; the device uses 20 bits. */
    public static final int TX_LENGTH = 16;
    /** The bits of {@link #TX_LENGTH} the device uses. */
    public static final int TX_LENGTH_MASK = 0xFFFFF;

    /** Configuration entry: u64, which one. */
    public static final int CONFIG_ID = 8;
    /** Insert into or update the flow table. */
    public static final long CONFIG_FLOW = 1;
    /** Time stamping. */
    public static final long CONFIG_TIMESTAMP = 2;
    /** Rate limiting. */
    public static final long CONFIG_RATE_LIMIT = 3;
    /** Fallback pipes. */
    public static final long CONFIG_FALLBACK = 4;

    /** Flow: u16 destination port, host order as all fields of configuration entries. */
    public static final int FLOW_DESTINATION_PORT = 16;
    /** Flow: u16 source port. */
    public static final int FLOW_SOURCE_PORT = 18;
    /** Flow: u32 destination address. */
    public static final int FLOW_DESTINATION_IP = 20;
    /** Flow: u32 source address. */
    public static final int FLOW_SOURCE_IP = 24;
    /** Flow: u32 protocol; the device ignores it. */
    public static final int FLOW_PROTOCOL = 28;
    /** Flow: u32 pipe. */
    public static final int FLOW_PIPE = 32;

    /** Time stamping: u64, bit 63 enables. */
    public static final int TIMESTAMP_ENABLE = 16;
    /** Time stamping: u64, byte offset of the four-byte field in the first flit. */
    public static final int TIMESTAMP_OFFSET = 24;
    /** The offset upstream software uses. */
    public static final int DEFAULT_TIMESTAMP_OFFSET = 18;
    /** Size of the stamp, big endian in the packet. */
    public static final int TIMESTAMP_BYTES = 4;

    /** Rate limit: u16 denominator, cycles of 200 MHz. */
    public static final int RATE_DENOMINATOR = 16;
    /** Rate limit: u16 numerator, flits. */
    public static final int RATE_NUMERATOR = 18;
    /** Rate limit: u32, bit 31 enables. */
    public static final int RATE_ENABLE = 20;

    /** Fallback: u32 number of fallback pipes; 0 drops what matches no flow. */
    public static final int FALLBACK_COUNT = 16;
    /** Fallback: u32 mask applied to the hash or the round-robin counter. */
    public static final int FALLBACK_MASK = 20;
    /** Fallback: u64, bit 63 chooses round robin. */
    public static final int FALLBACK_ROUND_ROBIN = 24;

    /** Nanoseconds of one cycle of the packet pipeline, the unit of time stamps. */
    public static final int NANOS_PER_CYCLE = 5;

    private EnsoFormats() {}
}
