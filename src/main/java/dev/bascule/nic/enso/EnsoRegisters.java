package dev.bascule.nic.enso;

/**
 * Register map of an Ensō NIC: PCI identity, the pages of BAR2 and the 32-bit lanes inside one page. Offsets and sizes
 * are bytes. Source: the public RTL and kernel header of Ensō (OSDI'23).
 */
public final class EnsoRegisters {
    /** PCI vendor of the board (Intel/Altera). */
    public static final int VENDOR_ID = 0x1172;
    /** PCI device as the bitstream reports it. */
    public static final int DEVICE_ID = 0x0000;
    /** The other device id the upstream kernel header names; its driver binds to either. */
    public static final int DEVICE_ID_ALTERNATE = 0x09C4;
    /** PCI class: network controller, Ethernet. */
    public static final int CLASS_CODE = 0x020000;
    /** PCI revision. */
    public static final int REVISION = 0x01;

    /** The BAR holding every register. */
    public static final int BAR_INDEX = 2;
    /** Size of BAR2: the block decodes 30 address bits. */
    public static final long BAR_BYTES = 1L << 30;
    /** One queue owns one page. */
    public static final int PAGE_BYTES = 4096;
    /** The registers of a page repeat every 64 bytes: only the low six offset bits count. */
    public static final int LINE_BYTES = 64;
    /** Width of a register; stores that cover a lane only in part do not change it. */
    public static final int LANE_BYTES = 4;

    /** Pipes; pipe p is page p. */
    public static final int PIPES = 8192;
    /** Notification buffer pairs; pair b is page {@link #PIPES} + b. */
    public static final int NOTIFICATION_BUFFERS = 1024;
    /** Bytes of BAR2 that hold a page of a queue; loads beyond get no answer. */
    public static final long USED_BYTES = (long) (PIPES + NOTIFICATION_BUFFERS) * PAGE_BYTES;

    /** Pipe and RX ring: tail; the device writes it, the host may for initialisation. */
    public static final int RX_TAIL = 0x00;
    /** Pipe and RX ring: head; on a pipe every store is an event. */
    public static final int RX_HEAD = 0x04;
    /** Pipe and RX ring: low half of the address; on a pipe the low ten bits are the notification buffer. */
    public static final int RX_ADDRESS_LOW = 0x08;
    /** Pipe and RX ring: high half of the address. */
    public static final int RX_ADDRESS_HIGH = 0x0C;
    /** TX ring: tail; every store is an event. */
    public static final int TX_TAIL = 0x10;
    /** TX ring: head; the device sets it to the tail when it fetches, not when it completes. */
    public static final int TX_HEAD = 0x14;
    /** TX ring: low half of the address. */
    public static final int TX_ADDRESS_LOW = 0x18;
    /** TX ring: high half of the address. */
    public static final int TX_ADDRESS_HIGH = 0x1C;

    private EnsoRegisters() {}

    /** Offset in BAR2 of the page of {@code pipe} (0 to {@link #PIPES} - 1). */
    public static long pipePage(int pipe) {
        return (long) pipe * PAGE_BYTES;
    }

    /** Offset in BAR2 of the page of notification buffer {@code buffer} (0 to {@link #NOTIFICATION_BUFFERS} - 1). */
    public static long notificationPage(int buffer) {
        return (long) (PIPES + buffer) * PAGE_BYTES;
    }
}
