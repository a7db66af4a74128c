package dev.bascule.nic.smartnic;

/**
 * Control registers of the SmartNIC function: 32 bits each in BAR 0, little endian, at these offsets.
 */
public final class SmartNicRegisters {
    /** PCI vendor: a number that no vendor owns, which QEMU's test devices also use. */
    public static final int VENDOR_ID = 0x1234;
    /** PCI device. */
    public static final int DEVICE_ID = 0xba5c;
    /** Size of BAR 0. */
    public static final long BAR_BYTES = 65536;

    /** Reads {@link #IDENTITY_VALUE}. */
    public static final long IDENTITY = 0x00;
    /** "BASC" in ASCII. */
    public static final long IDENTITY_VALUE = 0x4353_4142L;
    /** Reads {@link #VERSION_VALUE}. */
    public static final long VERSION = 0x04;
    /** Version of this register layout: major in the upper 16 bits. */
    public static final long VERSION_VALUE = 0x0001_0000L;
    /** Bytes of NIC memory, low half. */
    public static final long NIC_MEMORY_LOW = 0x08;
    /** Bytes of NIC memory, high half. */
    public static final long NIC_MEMORY_HIGH = 0x0c;
    /** How many doorbells and interrupt vectors there are. */
    public static final long SIGNALS = 0x10;
    /** Keeps what is written. */
    public static final long SCRATCH = 0x14;
    /** Writing a vector number raises that interrupt: a self-test. */
    public static final long TRIGGER = 0x18;
    /** How often {@link #TRIGGER} was written since reset. */
    public static final long TRIGGER_COUNT = 0x1c;
    /** Address of the DMA self-test, low half. */
    public static final long DMA_ADDRESS_LOW = 0x20;
    /** Address of the DMA self-test, high half. */
    public static final long DMA_ADDRESS_HIGH = 0x24;
    /** Writing {@link #DMA_WRITE} or {@link #DMA_READ} moves {@link #SCRATCH} to host memory or back: a self-test. */
    public static final long DMA_COMMAND = 0x28;
    /** How the last one went: {@link #DMA_DONE}, {@link #DMA_REFUSED}, or 0 if there was none since reset. */
    public static final long DMA_STATUS = 0x2c;
    /** Four bytes of {@link #SCRATCH} to host memory. */
    public static final int DMA_WRITE = 1;
    /** Four bytes of host memory to {@link #SCRATCH}. */
    public static final int DMA_READ = 2;
    /** The access was made. */
    public static final int DMA_DONE = 1;
    /** The host refused it: nothing was read or written. */
    public static final int DMA_REFUSED = 2;
    /** Doorbells host to NIC, 64 of 8 bytes; a 4- or 8-byte write rings with that value. */
    public static final long DOORBELLS = 0x1000;
    /** MSI-X table. */
    public static final long MSIX_TABLE = 0x8000;
    /** MSI-X pending bits. */
    public static final long MSIX_PENDING = 0xc000;

    private SmartNicRegisters() {}
}
