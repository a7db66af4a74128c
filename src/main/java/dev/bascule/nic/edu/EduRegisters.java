package dev.bascule.nic.edu;

/** Numbers of QEMU's edu device. Source: QEMU documentation, "EDU device". */
public final class EduRegisters {
    /** PCI vendor. */
    public static final int VENDOR_ID = 0x1234;
    /** PCI device. */
    public static final int DEVICE_ID = 0x11e8;
    /** Size of BAR 0. */
    public static final long BAR_BYTES = 1 << 20;

    /** Identity, read only: version in the upper half, {@code 0xed} in the low byte. */
    public static final long IDENTITY = 0x00;
    /** Low byte of the identity. */
    public static final int IDENTITY_MARK = 0xed;
    /** Liveness: reads back the inverse of what was written. */
    public static final long LIVENESS = 0x04;
    /** Factorial: write n, read n! modulo 2^32 when done. */
    public static final long FACTORIAL = 0x08;
    /** Status bits. */
    public static final long STATUS = 0x20;
    /** The factorial is being computed. */
    public static final int STATUS_COMPUTING = 0x01;
    /** Interrupt when the factorial is done. */
    public static final int STATUS_INTERRUPT = 0x80;
    /** Causes of interrupts so far. */
    public static final long INTERRUPT_STATUS = 0x24;
    /** Raises an interrupt with the causes written. */
    public static final long INTERRUPT_RAISE = 0x60;
    /** Clears causes, and with them the pin. */
    public static final long INTERRUPT_ACKNOWLEDGE = 0x64;
    /** Cause: the factorial is done. */
    public static final int CAUSE_FACTORIAL = 0x001;
    /** Cause: the transfer is done. */
    public static final int CAUSE_DMA = 0x100;

    /** Source of a transfer, 8 bytes: an IOVA or an address in the device. */
    public static final long DMA_SOURCE = 0x80;
    /** Destination of a transfer, 8 bytes. */
    public static final long DMA_DESTINATION = 0x88;
    /** Bytes to transfer, 8 bytes. */
    public static final long DMA_COUNT = 0x90;
    /** Starts a transfer, 8 bytes; reads with bit 0 set until it is done. */
    public static final long DMA_COMMAND = 0x98;
    /** Start. */
    public static final int DMA_START = 1;
    /** From the device to host memory; otherwise the other way. */
    public static final int DMA_TO_HOST = 2;
    /** Interrupt when done. */
    public static final int DMA_INTERRUPT = 4;
    /** Where the device's buffer begins, as an address in the device. */
    public static final long BUFFER = 0x40000;
    /** Size of the device's buffer. */
    public static final int BUFFER_BYTES = 4096;
    /** Bits of an IOVA the device drives. */
    public static final int ADDRESS_BITS = 28;

    private EduRegisters() {}
}
