package dev.bascule.nic.corundum;

/**
 * Register blocks, register offsets and queue commands of Corundum (mqnic), design of May 2024 with the differences of
 * December 2023. Constants only; offsets are bytes from the start of the block, all registers are 32 bits wide.
 */
public final class MqnicRegisters {
    private MqnicRegisters() {}

    // PCI identity
    public static final int VENDOR_ID = 0x1234;
    public static final int DEVICE_ID = 0x1001;
    public static final int ALTERNATE_VENDOR_ID = 0x5543;
    public static final int CLASS_CODE = 0x020000;
    /** BAR0, control: 16 MiB. */
    public static final long BAR0_BYTES = 1L << 24;
    public static final int BAR0_ADDRESS_BITS = 24;
    public static final int MSIX_TABLE_OFFSET = 0x10000;
    public static final int MSIX_PENDING_OFFSET = 0x18000;

    // Header of every register block
    public static final int BLOCK_TYPE = 0x00;
    public static final int BLOCK_VERSION = 0x04;
    public static final int BLOCK_NEXT = 0x08;
    public static final int BLOCK_FIRST_FIELD = 0x0C;

    // Types and versions of register blocks
    public static final int TYPE_FILLER = 0;
    public static final int TYPE_FIRMWARE_ID = 0xFFFFFFFF;
    public static final int VERSION_FIRMWARE_ID = 0x100;
    public static final int TYPE_INTERFACES = 0xC000;
    public static final int VERSION_INTERFACES = 0x100;
    public static final int TYPE_INTERFACE_CONTROL = 0xC001;
    public static final int VERSION_INTERFACE_CONTROL = 0x400;
    public static final int TYPE_PORT = 0xC002;
    public static final int VERSION_PORT = 0x200;
    public static final int TYPE_PORT_CONTROL = 0xC003;
    public static final int VERSION_PORT_CONTROL = 0x300;
    public static final int TYPE_SCHEDULER_BLOCK = 0xC004;
    public static final int VERSION_SCHEDULER_BLOCK = 0x300;
    public static final int TYPE_APPLICATION = 0xC005;
    public static final int VERSION_APPLICATION = 0x200;
    public static final int TYPE_STATISTICS = 0xC006;
    public static final int VERSION_STATISTICS = 0x100;
    public static final int TYPE_INTERRUPT_CONFIG = 0xC007;
    public static final int VERSION_INTERRUPT_CONFIG = 0x100;
    public static final int TYPE_CLOCK_INFO = 0xC008;
    public static final int VERSION_CLOCK_INFO = 0x100;
    public static final int TYPE_EVENT_QUEUES = 0xC010;
    public static final int VERSION_EVENT_QUEUES = 0x400;
    public static final int TYPE_COMPLETION_QUEUES = 0xC020;
    public static final int VERSION_COMPLETION_QUEUES = 0x400;
    public static final int TYPE_TX_QUEUES = 0xC030;
    public static final int VERSION_TX_QUEUES = 0x400;
    public static final int TYPE_RX_QUEUES = 0xC031;
    public static final int VERSION_RX_QUEUES = 0x400;
    public static final int TYPE_SCHEDULER = 0xC040;
    public static final int VERSION_SCHEDULER_MAY_2024 = 0x200;
    public static final int VERSION_SCHEDULER_DECEMBER_2023 = 0x100;
    public static final int TYPE_TDMA_CONTROLLER = 0xC050;
    public static final int VERSION_TDMA_CONTROLLER = 0x100;
    public static final int TYPE_TDMA_TIMER = 0xC060;
    public static final int VERSION_TDMA_TIMER_MAY_2024 = 0x200;
    public static final int VERSION_TDMA_TIMER_DECEMBER_2023 = 0x100;
    public static final int TYPE_PHC = 0xC080;
    public static final int VERSION_PHC = 0x200;
    public static final int TYPE_PERIODIC_OUTPUT = 0xC081;
    public static final int VERSION_PERIODIC_OUTPUT = 0x100;
    public static final int TYPE_RX_QUEUE_MAP = 0xC090;
    public static final int VERSION_RX_QUEUE_MAP = 0x200;
    public static final int TYPE_ALVEO_BMC = 0xC140;
    public static final int VERSION_ALVEO_BMC = 0x100;
    public static final int TYPE_SPI_FLASH = 0xC120;
    public static final int VERSION_SPI_FLASH = 0x200;
    public static final int TYPE_BPI_FLASH = 0xC121;
    public static final int VERSION_BPI_FLASH = 0x200;

    // Firmware ID
    public static final int FIRMWARE_FPGA_ID = 0x0C;
    public static final int FIRMWARE_ID = 0x10;
    public static final int FIRMWARE_VERSION = 0x14;
    public static final int FIRMWARE_BOARD_ID = 0x18;
    public static final int FIRMWARE_BOARD_VERSION = 0x1C;
    public static final int FIRMWARE_BUILD_DATE = 0x20;
    public static final int FIRMWARE_GIT_HASH = 0x24;
    public static final int FIRMWARE_RELEASE_INFO = 0x28;

    // Interrupt config
    public static final int INTERRUPT_MIN_INTERVAL = 0x0C;

    // Interfaces
    public static final int INTERFACES_OFFSET = 0x0C;
    public static final int INTERFACES_COUNT = 0x10;
    public static final int INTERFACES_STRIDE = 0x14;
    public static final int INTERFACES_CSR_OFFSET = 0x18;

    // Statistics
    public static final int STATISTICS_OFFSET = 0x0C;
    public static final int STATISTICS_COUNT = 0x10;
    public static final int STATISTICS_STRIDE = 0x14;
    public static final int STATISTICS_FLAGS = 0x18;

    // Clock info
    public static final int CLOCK_CHANNELS = 0x0C;
    public static final int CLOCK_REFERENCE_PERIOD = 0x10;
    public static final int CLOCK_CORE_PERIOD = 0x18;
    public static final int CLOCK_CORE_HZ = 0x1C;
    public static final int CLOCK_CHANNEL_HZ = 0x20;

    // Interface control
    public static final int INTERFACE_FEATURES = 0x0C;
    public static final int INTERFACE_PORTS = 0x10;
    public static final int INTERFACE_SCHEDULERS = 0x14;
    public static final int INTERFACE_MAX_TX_MTU = 0x20;
    public static final int INTERFACE_MAX_RX_MTU = 0x24;
    public static final int INTERFACE_TX_MTU = 0x28;
    public static final int INTERFACE_RX_MTU = 0x2C;
    public static final int INTERFACE_TX_FIFO_BYTES = 0x30;
    public static final int INTERFACE_RX_FIFO_BYTES = 0x34;

    public static final int FEATURE_RSS = 1;
    public static final int FEATURE_PTP_TIMESTAMPS = 1 << 4;
    public static final int FEATURE_TX_CHECKSUM = 1 << 8;
    public static final int FEATURE_RX_CHECKSUM = 1 << 9;
    public static final int FEATURE_RX_HASH = 1 << 10;
    public static final int FEATURE_LINK_FLOW_CONTROL = 1 << 11;
    public static final int FEATURE_PRIORITY_FLOW_CONTROL = 1 << 12;

    // Queue manager blocks (event, completion, TX, RX)
    public static final int QUEUES_OFFSET = 0x0C;
    public static final int QUEUES_COUNT = 0x10;
    public static final int QUEUES_STRIDE = 0x14;
    public static final int WORK_QUEUE_STRIDE = 32;
    public static final int COMPLETION_QUEUE_STRIDE = 16;

    // RX queue map
    public static final int QUEUE_MAP_CONFIG = 0x0C;
    public static final int QUEUE_MAP_PORTS = 0x10;
    public static final int QUEUE_MAP_PORT_STRIDE = 0x10;
    public static final int QUEUE_MAP_TABLE_OFFSET = 0x0;
    public static final int QUEUE_MAP_RSS_MASK = 0x4;
    public static final int QUEUE_MAP_APP_MASK = 0x8;

    // Port and scheduler block: where their own list starts
    public static final int SUBLIST_OFFSET = 0x0C;

    // Port control
    public static final int PORT_FEATURES = 0x0C;
    public static final int PORT_TX_CONTROL = 0x10;
    public static final int PORT_RX_CONTROL = 0x14;
    public static final int PORT_FLOW_CONTROL_QUANTA = 0x18;
    public static final int PORT_LINK_FLOW_CONTROL = 0x1C;
    public static final int PORT_PRIORITY_FLOW_CONTROL = 0x20;

    public static final int PORT_FEATURE_LINK_FLOW_CONTROL = 1;
    public static final int PORT_FEATURE_PRIORITY_FLOW_CONTROL = 1 << 1;
    public static final int PORT_FEATURE_MAC_CONTROL = 1 << 2;
    public static final int PORT_ENABLE = 1;
    public static final int PORT_PAUSE = 1 << 8;
    public static final int PORT_LINK_UP = 1 << 16;
    public static final int PORT_IN_RESET = 1 << 17;
    public static final int PORT_PAUSE_REQUEST = 1 << 24;
    public static final int PORT_PAUSE_ACKNOWLEDGE = 1 << 25;
    public static final int FLOW_CONTROL_TX_ENABLE = 1 << 24;
    public static final int FLOW_CONTROL_RX_ENABLE = 1 << 25;

    // Work queue (TX, RX): words
    public static final int WORK_QUEUE_BASE_LOW = 0x00;
    public static final int WORK_QUEUE_BASE_HIGH = 0x04;
    public static final int WORK_QUEUE_STATUS = 0x08;
    public static final int WORK_QUEUE_CONFIG = 0x0C;
    public static final int WORK_QUEUE_POINTERS = 0x10;
    /** Any of the command words takes a command; drivers use this one. */
    public static final int WORK_QUEUE_COMMAND = 0x08;
    public static final int WORK_QUEUE_STATUS_ENABLE = 1;
    public static final int WORK_QUEUE_STATUS_ACTIVE = 1 << 3;

    // Record queue (event, completion): words
    public static final int COMPLETION_QUEUE_BASE_LOW = 0x00;
    public static final int COMPLETION_QUEUE_BASE_HIGH = 0x04;
    public static final int COMPLETION_QUEUE_STATUS = 0x08;
    public static final int COMPLETION_QUEUE_POINTERS = 0x0C;
    public static final int COMPLETION_QUEUE_COMMAND = 0x08;
    public static final int COMPLETION_QUEUE_STATUS_ENABLE = 1 << 16;
    public static final int COMPLETION_QUEUE_STATUS_ARMED = 1 << 17;
    public static final int COMPLETION_QUEUE_STATUS_ACTIVE = 1 << 19;

    // Queue commands with a 16-bit argument
    public static final int COMMAND_SET_VF = 0x8001_0000;
    public static final int COMMAND_SET_SIZE = 0x8002_0000;
    public static final int COMMAND_SET_PRODUCER = 0x8080_0000;
    public static final int COMMAND_SET_CONSUMER = 0x8090_0000;
    public static final int COMMAND_SET_CONSUMER_AND_ARM = 0x8091_0000;
    // with a 24-bit argument: CQ of a work queue, EQ of a CQ, interrupt of an EQ
    public static final int COMMAND_SET_TARGET = 0xC000_0000;
    // with an 8-bit argument
    public static final int COMMAND_SET_ENABLE = 0x4000_0100;
    public static final int COMMAND_SET_ARM = 0x4000_0200;
    /** Log2 of the largest ring. */
    public static final int MAX_LOG_QUEUE_SIZE = 15;

    // Scheduler, May 2024
    public static final int SCHEDULER_QUEUES_OFFSET = 0x0C;
    public static final int SCHEDULER_QUEUES_COUNT = 0x10;
    public static final int SCHEDULER_QUEUES_STRIDE = 0x14;
    public static final int SCHEDULER_CONTROL = 0x18;
    public static final int SCHEDULER_INFO = 0x1C;
    public static final int SCHEDULER_CHANNEL_CONTROL = 0x20;
    public static final int SCHEDULER_CHANNEL_DESTINATION = 0x24;
    public static final int SCHEDULER_CHANNEL_PACKET_BUDGET = 0x26;
    public static final int SCHEDULER_CHANNEL_DATA_BUDGET = 0x28;
    public static final int SCHEDULER_CHANNEL_PACKET_LIMIT = 0x2A;
    public static final int SCHEDULER_CHANNEL_DATA_LIMIT = 0x2C;
    public static final int SCHEDULER_ENABLE = 1;
    public static final int SCHEDULER_ACTIVE = 1 << 16;
    public static final int CHANNEL_ENABLE = 1;
    public static final int CHANNEL_ACTIVE = 1 << 16;
    public static final int CHANNEL_FETCH_ACTIVE = 1 << 17;
    public static final int CHANNEL_CREDIT_AVAILABLE = 1 << 18;
    public static final int CHANNEL_PRIMED = 1 << 19;
    /** One credit of budgets and limits is this many bytes. */
    public static final int CREDIT_BYTES = 64;
    // Queue word
    public static final int SCHEDULER_QUEUE_PORT_ENABLE = 1 << 3;
    public static final int SCHEDULER_QUEUE_PORT_PAUSE = 1 << 4;
    public static final int SCHEDULER_QUEUE_SCHEDULED = 1 << 5;
    public static final int SCHEDULER_QUEUE_ENABLE = 1 << 6;
    public static final int SCHEDULER_QUEUE_PAUSE = 1 << 7;
    public static final int SCHEDULER_QUEUE_ACTIVE = 1 << 14;
    public static final int SCHEDULER_COMMAND_PORT_CLASS = 0x8001_0000;
    public static final int SCHEDULER_COMMAND_PORT_ENABLE = 0x8002_0000;
    public static final int SCHEDULER_COMMAND_PORT_PAUSE = 0x8003_0000;
    public static final int SCHEDULER_COMMAND_QUEUE_ENABLE = 0x4000_0100;
    public static final int SCHEDULER_COMMAND_QUEUE_PAUSE = 0x4000_0200;

    // Scheduler, December 2023
    public static final int SCHEDULER_2023_DESTINATION = 0x1C;
    public static final int SCHEDULER_2023_QUEUE_ENABLE = 1;
    public static final int SCHEDULER_2023_QUEUE_GLOBAL_ENABLE = 1 << 1;
    public static final int SCHEDULER_2023_QUEUE_CONTROL_ENABLE = 1 << 2;
    public static final int SCHEDULER_2023_QUEUE_ACTIVE = 1 << 16;
    public static final int SCHEDULER_2023_QUEUE_SCHEDULED = 1 << 24;

    // PHC (PTP hardware clock)
    public static final int PHC_STATUS = 0x0C;
    public static final int PHC_CURRENT_FRACTION = 0x10;
    public static final int PHC_CURRENT_NANOS = 0x14;
    public static final int PHC_CURRENT_SECONDS_LOW = 0x18;
    public static final int PHC_CURRENT_SECONDS_HIGH = 0x1C;
    public static final int PHC_CURRENT_RELATIVE_LOW = 0x20;
    public static final int PHC_CURRENT_RELATIVE_HIGH = 0x24;
    public static final int PHC_PTM_LOW = 0x28;
    public static final int PHC_PTM_HIGH = 0x2C;
    /** Reading it takes the snapshot. */
    public static final int PHC_SNAPSHOT_FRACTION = 0x30;
    public static final int PHC_SNAPSHOT_NANOS = 0x34;
    public static final int PHC_SNAPSHOT_SECONDS_LOW = 0x38;
    public static final int PHC_SNAPSHOT_SECONDS_HIGH = 0x3C;
    public static final int PHC_SNAPSHOT_RELATIVE_LOW = 0x40;
    public static final int PHC_SNAPSHOT_RELATIVE_HIGH = 0x44;
    public static final int PHC_OFFSET_NANOS = 0x50;
    public static final int PHC_SET_NANOS = 0x54;
    public static final int PHC_SET_SECONDS_LOW = 0x58;
    public static final int PHC_SET_SECONDS_HIGH = 0x5C;
    public static final int PHC_SET_RELATIVE_LOW = 0x60;
    public static final int PHC_SET_RELATIVE_HIGH = 0x64;
    public static final int PHC_OFFSET_RELATIVE = 0x68;
    public static final int PHC_OFFSET_FRACTION = 0x6C;
    public static final int PHC_NOMINAL_PERIOD_FRACTION = 0x70;
    public static final int PHC_NOMINAL_PERIOD_NANOS = 0x74;
    public static final int PHC_PERIOD_FRACTION = 0x78;
    public static final int PHC_PERIOD_NANOS = 0x7C;
    public static final int PHC_STATUS_PPS = 1 << 8;
    public static final int PHC_STATUS_LOCKED = 1 << 16;
    public static final int PHC_STATUS_SET_PENDING = 1 << 24;
    public static final int PHC_STATUS_OFFSET_PENDING = 1 << 25;
    public static final int PHC_STATUS_SET_RELATIVE_PENDING = 1 << 26;
    public static final int PHC_STATUS_OFFSET_RELATIVE_PENDING = 1 << 27;
    public static final int PHC_STATUS_PERIOD_PENDING = 1 << 28;
    public static final int PHC_STATUS_OFFSET_FRACTION_PENDING = 1 << 29;

    // Periodic output
    public static final int PERIODIC_OUTPUT_CONTROL = 0x0C;
    public static final int PERIODIC_OUTPUT_START = 0x10;
    public static final int PERIODIC_OUTPUT_PERIOD = 0x20;
    public static final int PERIODIC_OUTPUT_WIDTH = 0x30;

    // Flash
    public static final int FLASH_FORMAT = 0x0C;
    public static final int SPI_FLASH_CONTROL_0 = 0x10;
    public static final int SPI_FLASH_CONTROL_1 = 0x14;
    public static final int BPI_FLASH_ADDRESS = 0x10;
    public static final int BPI_FLASH_DATA = 0x14;
    public static final int BPI_FLASH_CONTROL = 0x18;

    // Management controller of Alveo boards
    public static final int ALVEO_BMC_ADDRESS = 0x0C;
    public static final int ALVEO_BMC_DATA = 0x10;
    /** In its memory: eight bytes an address, the upper two of six first. */
    public static final int ALVEO_BMC_MAC_LIST = 0x0281A0;

    // TDMA
    public static final int TDMA_CHANNELS_OFFSET = 0x0C;
    public static final int TDMA_CHANNELS_COUNT = 0x10;
    public static final int TDMA_CHANNELS_STRIDE = 0x14;
    public static final int TDMA_CONTROL = 0x18;
    public static final int TDMA_TIMESLOTS = 0x1C;
}
