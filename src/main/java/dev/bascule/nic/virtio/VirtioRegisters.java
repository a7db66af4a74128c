package dev.bascule.nic.virtio;

/** Numbers of virtio over PCI, modern form. Source: Virtual I/O Device specification 1.2, sections 2, 4.1 and 5.1. */
public final class VirtioRegisters {
    /** PCI vendor. */
    public static final int VENDOR_ID = 0x1af4;
    /** PCI device: network card, modern only. */
    public static final int NET_DEVICE_ID = 0x1041;

    // Structures that vendor-specific capabilities point to.
    static final int COMMON = 1;
    static final int NOTIFY = 2;
    static final int DEVICE = 4;

    // The common structure.
    static final long DEVICE_FEATURE_SELECT = 0;
    static final long DEVICE_FEATURE = 4;
    static final long DRIVER_FEATURE_SELECT = 8;
    static final long DRIVER_FEATURE = 12;
    static final long CONFIG_VECTOR = 16;
    static final long QUEUES = 18;
    static final long STATUS = 20;
    static final long QUEUE_SELECT = 22;
    static final long QUEUE_SIZE = 24;
    static final long QUEUE_VECTOR = 26;
    static final long QUEUE_ENABLE = 28;
    static final long QUEUE_NOTIFY_OFFSET = 30;
    static final long QUEUE_DESCRIPTORS = 32;
    static final long QUEUE_AVAILABLE = 40;
    static final long QUEUE_USED = 48;
    static final int NO_VECTOR = 0xffff;

    // Bits of the status.
    static final int ACKNOWLEDGE = 1;
    static final int DRIVER = 2;
    static final int DRIVER_OK = 4;
    static final int FEATURES_OK = 8;
    static final int NEEDS_RESET = 64;

    // Features.
    static final long MAC = 1L << 5;
    static final long LINK_STATUS = 1L << 16;
    static final long VERSION_1 = 1L << 32;
    static final long ACCESS_PLATFORM = 1L << 33;

    // The structure of a network card.
    static final long NET_MAC = 0;
    static final long NET_STATUS = 6;

    // A descriptor and its flags.
    static final int DESCRIPTOR_BYTES = 16;
    static final int DESCRIPTOR_NEXT = 1;
    static final int DESCRIPTOR_WRITE = 2;

    /** The header before each packet. */
    static final int HEADER_BYTES = 12;

    private VirtioRegisters() {}
}
