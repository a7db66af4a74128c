package dev.bascule.nic.cndm.proto;

/**
 * Numbers of cndm's teaching card. Source: the public RTL of August 2026, read, and observed in a simulator.
 */
public final class ProtoRegisters {
    /** PCI vendor. */
    public static final int VENDOR_ID = 0x1234;
    /** PCI device. */
    public static final int DEVICE_ID = 0xC070;
    /** PCI class: Ethernet controller. */
    public static final int CLASS_CODE = 0x020000;
    /** Size of the only BAR. */
    public static final int BAR0_BYTES = 16 << 20;
    /** Vectors of MSI. */
    public static final int INTERRUPTS = 32;

    /** Number of ports. */
    public static final int PORTS = 0x100;
    /** Offset of the registers of port 0. */
    public static final int FIRST_PORT = 0x104;
    /** Distance of the registers of two ports. */
    public static final int PORT_STRIDE = 0x108;

    /** Registers of a port's queue of frames to send, within the port's. */
    public static final int SEND = 0x100;
    /** Registers of the queue of buffers to receive into. */
    public static final int RECEIVE = 0x200;
    /** Distance from either to the registers of its completion queue. */
    public static final int COMPLETIONS = 0x200;

    /** Control, within a queue's registers: bit 0 enables, bits 16 to 19 are log2 of the entries. */
    public static final int CONTROL = 0x00;
    /** Pointers: where the host's is written, and the card's is read. */
    public static final int POINTERS = 0x04;
    /** Address of the ring, low half. */
    public static final int ADDRESS_LOW = 0x08;
    /** Address of the ring, high half. */
    public static final int ADDRESS_HIGH = 0x0C;
    /** Bit of the control that enables. */
    public static final int ENABLE = 1;
    /** Place of the size in the control. */
    public static final int SIZE_SHIFT = 16;

    /** Bytes of a descriptor, and of a completion. */
    public static final int ENTRY_BYTES = 16;

    private ProtoRegisters() {}
}
