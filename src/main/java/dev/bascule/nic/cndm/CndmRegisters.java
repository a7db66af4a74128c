package dev.bascule.nic.cndm;

/**
 * Numbers of cndm, profiles micro and lite, command version 0.1.0. Source: the public RTL of August 2026, by
 * observation in a simulator.
 */
public final class CndmRegisters {
    /** PCI vendor. */
    public static final int VENDOR_ID = 0x1234;
    /** PCI device of both profiles. */
    public static final int DEVICE_ID = 0xC001;
    /** PCI class: Ethernet controller. */
    public static final int CLASS_CODE = 0x020000;
    /** Size of the only BAR. */
    public static final int BAR0_BYTES = 16 << 20;
    /** Vectors of MSI. */
    public static final int INTERRUPTS = 32;

    /** Firmware of profile micro, the one that all boards are built with. */
    public static final int FIRMWARE_MICRO = 0xC001;
    /** Firmware of profile lite. */
    public static final int FIRMWARE_LITE = 0xC002;
    /** Version of the commands, 0.1.0. */
    public static final int COMMAND_VERSION = 0x1000;

    // BAR0.
    /** Mailbox control: a written bit 0 starts the command, a read one says that it runs. */
    public static final int MAILBOX_CONTROL = 0x200;
    /** Clock: the time now, and from 0x320 on a snapshot, taken when its first word is read. */
    public static final int CLOCK = 0x300;
    /** Mailbox: 16 words of command, then 16 words of answer. */
    public static final int MAILBOX = 0x10000;
    /** Words of a command, and of an answer. */
    public static final int MAILBOX_WORDS = 16;
    /** Doorbells of port 0. */
    public static final int PORTS = 0x20000;
    /** Distance of the ports' doorbells. */
    public static final int PORT_STRIDE = 0x10000;
    /** Doorbells of event and completion queues, within those of a port. */
    public static final int NOTIFY_WINDOW = 0x4000;
    /** Distance of the doorbells of two queues. */
    public static final int QUEUE_STRIDE = 32;
    /** Producer of a work queue, within its doorbells. */
    public static final int PRODUCER = 0x08;
    /** Consumer of a completion or event queue, within its doorbells. */
    public static final int CONSUMER = 0x0C;
    /** Bit of a written consumer that arms as well, and of a bound number that means an interrupt. */
    public static final int BIT_31 = 1 << 31;

    // Operations, the upper half of a command's first word.
    /** Does nothing. */
    public static final int NO_OPERATION = 0x0000;
    /** Reads a page of the configuration. */
    public static final int READ_CONFIG = 0x0100;
    /** Reads or writes an inner register. */
    public static final int INNER_REGISTER = 0x0180;
    /** Reads or sets the clock. */
    public static final int CLOCK_ACCESS = 0x0190;
    /** Asks the board who it is. */
    public static final int BOARD_IDENTITY = 0x01A0;
    /** Asks the board for its sensors and modules. */
    public static final int BOARD_MONITOR = 0x01B0;
    /** Asks the board for its clock chips. */
    public static final int BOARD_PLL = 0x01C0;
    /** Creates an event queue; with {@link #KIND_STEP} times the kind, another queue. */
    public static final int CREATE = 0x0200;
    /** Destroys a queue, likewise. */
    public static final int DESTROY = 0x0203;
    /** Step from one kind of queue to the next. */
    public static final int KIND_STEP = 0x10;

    /** Kind: event queue. */
    public static final int EVENT_QUEUE = 0;
    /** Kind: completion queue. */
    public static final int COMPLETION_QUEUE = 1;
    /** Kind: send queue. */
    public static final int SEND_QUEUE = 2;
    /** Kind: receive queue. */
    public static final int RECEIVE_QUEUE = 3;
    /** Queue numbers of each port: of event and completion queues, and as many of work queues. */
    public static final int QUEUES = 32;

    // Status of an answer, the upper half of its first word.
    /** No queue number is free. */
    public static final int STATUS_NO_MEMORY = 0x0C;
    /** The operation is unknown. */
    public static final int STATUS_INVALID = 0x16;
    /** The operation is known and not built in. */
    public static final int STATUS_UNSUPPORTED = 0x5F;

    // Board operations, the upper half of the first of 14 words.
    /** Serial number, ASCII, from byte 0 of the data on. */
    public static final int BOARD_SERIAL = 0x0400;
    /** Ethernet address, from byte 2 of the data on. */
    public static final int BOARD_MAC = 0x0480;
    /** First word of the data of a board operation, among a command's. */
    public static final int BOARD_DATA = 8;

    /** Bytes of an entry of any ring. */
    public static final int ENTRY_BYTES = 16;
    /** Log2 of the entries of the largest ring. */
    public static final int MAX_LOG_ENTRIES = 15;
    /** Bytes of a frame memory: longer received frames are cut, longer sent ones become garbage. */
    public static final int FRAME_MEMORY_BYTES = 4096;
    /** Longest frame that leaves the card; a longer one stops the port for good, and so does an empty one. */
    public static final int LONGEST_SENT_BYTES = 16384;

    /** Bits of seconds in a completion. */
    public static final int STAMP_SECONDS_BITS = 15;

    private CndmRegisters() {}
}
