package dev.bascule.vfiouser;

/** Numbers of the vfio-user protocol, version 0.1; the structures behind commands 4 to 8 are those of Linux VFIO. */
final class Protocol {
    static final int MAJOR = 0;
    static final int MINOR = 1;

    static final int HEADER_BYTES = 16;
    static final int ID = 0;
    static final int COMMAND = 2;
    static final int SIZE = 4;
    static final int FLAGS = 8;
    static final int ERROR = 12;

    static final int TYPE_MASK = 0xf;
    static final int TYPE_COMMAND = 0;
    static final int TYPE_REPLY = 1;
    static final int NO_REPLY = 0x10;
    static final int FAILED = 0x20;

    static final int VERSION = 1;
    static final int DMA_MAP = 2;
    static final int DMA_UNMAP = 3;
    static final int GET_INFO = 4;
    static final int GET_REGION_INFO = 5;
    static final int GET_REGION_IO_FDS = 6;
    static final int GET_IRQ_INFO = 7;
    static final int SET_IRQS = 8;
    static final int REGION_READ = 9;
    static final int REGION_WRITE = 10;
    static final int DMA_READ = 11;
    static final int DMA_WRITE = 12;
    static final int RESET = 13;
    static final int REGION_WRITE_MULTI = 15;
    static final int DEVICE_FEATURE = 16;
    static final int MIGRATION_READ = 17;
    static final int MIGRATION_WRITE = 18;

    static final int DMA_MAP_BYTES = 32;
    static final int DMA_UNMAP_BYTES = 24;
    static final int INFO_BYTES = 16;
    static final int REGION_INFO_BYTES = 32;
    static final int IRQ_INFO_BYTES = 16;
    static final int IRQ_SET_BYTES = 20;
    static final int REGION_ACCESS_BYTES = 16;
    static final int DMA_ACCESS_BYTES = 16;
    static final int MULTI_HEADER_BYTES = 8;
    static final int MULTI_WRITE_BYTES = 24;
    static final int MULTI_DATA_BYTES = 8;
    static final int MAX_MULTI_WRITES = 1024;

    static final int DMA_READABLE = 1;
    static final int DMA_WRITABLE = 2;
    static final int UNMAP_ALL = 2;

    static final int DEVICE_RESETS = 1;
    static final int DEVICE_IS_PCI = 2;

    /** BARs 0 to 5, expansion ROM, config space, VGA. */
    static final int REGIONS = 9;
    static final int BARS = 6;
    static final int CONFIG_REGION = 7;

    static final int REGION_READABLE = 1;
    static final int REGION_WRITABLE = 2;
    static final int REGION_MAPPABLE = 4;
    static final int REGION_HAS_CAPABILITIES = 8;
    static final int SPARSE_MMAP = 1;
    static final int SPARSE_HEADER_BYTES = 16;
    static final int SPARSE_AREA_BYTES = 16;

    static final int IRQ_EVENTFD = 1;
    static final int IRQ_MASKABLE = 2;
    static final int IRQ_AUTOMASKED = 4;

    static final int DATA_NONE = 1;
    static final int DATA_BOOL = 2;
    static final int DATA_EVENTFD = 4;
    static final int DATA_MASK = 7;
    static final int ACTION_MASK = 8;
    static final int ACTION_UNMASK = 0x10;
    static final int ACTION_TRIGGER = 0x20;
    static final int ACTION_BITS = 0x38;

    /** Bytes that a peer which names no limit can take in one transfer. */
    static final int DEFAULT_TRANSFER_BYTES = 1 << 20;
    /** The longest message: a transfer of the largest size with its headers, and room for a long JSON text. */
    static final int MAX_MESSAGE_BYTES = HEADER_BYTES + 64 + DEFAULT_TRANSFER_BYTES;
    static final int PAGE_BYTES = 4096;

    private Protocol() {}

    /** The command's name, for messages. */
    static String name(int command) {
        return switch (command) {
            case VERSION -> "VERSION";
            case DMA_MAP -> "DMA_MAP";
            case DMA_UNMAP -> "DMA_UNMAP";
            case GET_INFO -> "DEVICE_GET_INFO";
            case GET_REGION_INFO -> "DEVICE_GET_REGION_INFO";
            case GET_REGION_IO_FDS -> "DEVICE_GET_REGION_IO_FDS";
            case GET_IRQ_INFO -> "DEVICE_GET_IRQ_INFO";
            case SET_IRQS -> "DEVICE_SET_IRQS";
            case REGION_READ -> "REGION_READ";
            case REGION_WRITE -> "REGION_WRITE";
            case DMA_READ -> "DMA_READ";
            case DMA_WRITE -> "DMA_WRITE";
            case RESET -> "DEVICE_RESET";
            case REGION_WRITE_MULTI -> "REGION_WRITE_MULTI";
            case DEVICE_FEATURE -> "DEVICE_FEATURE";
            case MIGRATION_READ -> "MIG_DATA_READ";
            case MIGRATION_WRITE -> "MIG_DATA_WRITE";
            default -> "command " + command;
        };
    }
}
