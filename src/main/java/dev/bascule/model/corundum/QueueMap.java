package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import java.util.Arrays;

/** Choice of the receive queue that a frame goes to: masks per port here, indirection table in a window of its own. */
final class QueueMap extends RegisterBlock {
    private static final int APP_DIRECT = 0x80000000;

    private final int tableWindow;
    private final int entries;
    private final int queueMask;
    private final int[] rssMask;
    private final int[] appMask;
    private final int[] table;
    private final Table window;

    QueueMap(CorundumConfig config, int tableWindow) {
        super(TYPE_RX_QUEUE_MAP, VERSION_RX_QUEUE_MAP, QUEUE_MAP_PORTS + QUEUE_MAP_PORT_STRIDE * config.ports());
        this.tableWindow = tableWindow;
        entries = config.tableEntries();
        queueMask = config.rxQueues() - 1;
        rssMask = new int[config.ports()];
        appMask = new int[config.ports()];
        table = new int[entries * config.ports()];
        window = new Table();
    }

    RegisterWindow table() {
        return window;
    }

    /** The queue for a frame of {@code port} with this hash; without an application its mask has no effect [RTL]. */
    int select(int port, int hash) {
        int index = hash & rssMask[port] & entries - 1;
        return table[port * entries + index] & queueMask;
    }

    @Override
    int readField(int offset) {
        if (offset == QUEUE_MAP_CONFIG) {
            return rssMask.length | CorundumConfig.log2(entries) << 8;
        }
        int port = (offset - QUEUE_MAP_PORTS) / QUEUE_MAP_PORT_STRIDE;
        return switch ((offset - QUEUE_MAP_PORTS) % QUEUE_MAP_PORT_STRIDE) {
            case QUEUE_MAP_TABLE_OFFSET -> tableWindow + port * entries * 4;
            case QUEUE_MAP_RSS_MASK -> rssMask[port];
            case QUEUE_MAP_APP_MASK -> appMask[port];
            default -> 0;
        };
    }

    /** Masks store as many bits as a queue number has [RTL]. */
    @Override
    void writeField(int offset, int value, int lanes) {
        if (offset == QUEUE_MAP_CONFIG) {
            return;
        }
        int port = (offset - QUEUE_MAP_PORTS) / QUEUE_MAP_PORT_STRIDE;
        switch ((offset - QUEUE_MAP_PORTS) % QUEUE_MAP_PORT_STRIDE) {
            case QUEUE_MAP_RSS_MASK -> rssMask[port] = value & queueMask;
            case QUEUE_MAP_APP_MASK -> appMask[port] = value & (queueMask | APP_DIRECT);
            default -> {
            }
        }
    }

    @Override
    public void reset() {
        Arrays.fill(rssMask, 0);
        Arrays.fill(appMask, 0);
    }

    private final class Table implements RegisterWindow {
        /** Upper bits of the offset are not decoded. */
        private final int decoded = Integer.highestOneBit(Math.max(1, table.length * 2 - 1));

        @Override
        public int read(int offset) {
            int index = offset >> 2 & decoded - 1;
            return index < table.length ? table[index] : 0;
        }

        @Override
        public void write(int offset, int value, int lanes) {
            int index = offset >> 2 & decoded - 1;
            if (index < table.length) {
                table[index] = value;
            }
        }

        /** It is RAM: it stays [RTL]. */
        @Override
        public void reset() {
            // as it is
        }
    }
}
