package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;

/**
 * Turns TX entries into flits, configuration and completions. One {@link #step()} is one entry answered by the host or
 * one flit sent, so that a caller decides how much work it does at a time.
 */
final class TxEngine {
    private static final int NONE = -1;
    private static final int ENTRY_QUEUE_LIMIT = 1024;
    private static final int DWORD_BYTES = 4;
    private static final int DWORD_COUNT_MASK = (1 << 18) - 1;

    /** A TX entry on its way from the fetch to its completion. */
    private static final class TxEntry {
        final int ring;
        /** Where the completion goes, as the device computes it. */
        final int slot;
        final boolean config;
        final long address;
        final int lengthBytes;
        /** Bytes still to be sent; an entry of 0 bytes takes one flit all the same. */
        int remainingBytes;

        TxEntry(int ring, int slot, boolean config, long address, int lengthBytes) {
            this.ring = ring;
            this.slot = slot;
            this.config = config;
            this.address = address;
            this.lengthBytes = lengthBytes;
            this.remainingBytes = lengthBytes;
        }
    }

    private final QueueRegisters rings;
    private final TxFetcher fetcher;
    private final HostPort host;
    private final RxEngine completions;
    private final FlitSink wire;
    private final ConfigSink configuration;
    private final EnsoMetrics metrics;
    private final DataReads data;
    private final PacketCutter cutter = new PacketCutter();
    private final ArrayDeque<TxEntry> entries = new ArrayDeque<>();
    private final byte[] entryBytes = new byte[EnsoFormats.ENTRY_BYTES];
    private final byte[] flit = new byte[EnsoFormats.FLIT_BYTES];
    private EnsoBoard board;
    private int lastRing = NONE;
    private int lastSlot;

    TxEngine(QueueRegisters rings, TxFetcher fetcher, HostPort host, RxEngine completions, FlitSink wire,
            ConfigSink configuration, EnsoBoard board, EnsoMetrics metrics) {
        this.rings = rings;
        this.fetcher = fetcher;
        this.host = host;
        this.completions = completions;
        this.wire = wire;
        this.configuration = configuration;
        this.board = board;
        this.metrics = metrics;
        this.data = new DataReads(host, metrics);
    }

    void board(EnsoBoard newBoard) {
        board = newBoard;
    }

    void reset() {
        lastRing = NONE;
        cutter.reset();
        entries.clear();
        data.reset();
    }

    /** Whether the next entry of the oldest read may be answered. */
    boolean takesEntry() {
        return fetcher.oldest() != null && entries.size() < ENTRY_QUEUE_LIMIT && !data.full();
    }

    /** The host answers one entry of the oldest read; {@link #takesEntry()} must hold. */
    void answerEntry() {
        TxRead read = Objects.requireNonNull(fetcher.oldest(), "no read outstanding");
        long address = read.address + (long) read.answered * EnsoFormats.ENTRY_BYTES;
        if (!host.read(address, entryBytes, 0, EnsoFormats.ENTRY_BYTES)) {
            metrics.count(EnsoCounter.DMA_FAULTS);
            Arrays.fill(entryBytes, (byte) 0);
        }
        accept(read);
        fetcher.answered();
    }

    /** Sends one flit or completes one configuration entry; false when there is nothing to do or nothing may be done. */
    boolean step() {
        TxEntry entry = entries.peek();
        if (entry == null) {
            wire.idle();
            return false;
        }
        if (completions.completionsBlocked()) {
            return false;
        }
        if (!entry.config && !sendFlit(entry)) {
            return false;
        }
        if (entry.remainingBytes <= 0) {
            entries.remove();
            complete(entry);
        }
        return true;
    }

    private void accept(TxRead read) {
        long address = Bytes.u64(entryBytes, EnsoFormats.TX_ADDRESS);
        boolean config = Bytes.u64(entryBytes, EnsoFormats.SIGNAL) == EnsoFormats.SIGNAL_CONFIG;
        int length = Bytes.u32(entryBytes, EnsoFormats.TX_LENGTH) & EnsoFormats.TX_LENGTH_MASK;
        TxEntry entry = new TxEntry(read.ring, completionSlot(read), config, address, length);
        metrics.count(EnsoCounter.TX_ENTRIES);
        if (config) {
            entry.remainingBytes = 0;
            metrics.count(EnsoCounter.TX_CONFIGS);
            configuration.config(entryBytes);
        } else {
            data.request(address, readBytes(length));
        }
        entries.add(entry);
    }

    /**
     * Only the first entry after an entry of another ring (or after a reset) takes its slot from the read it came with;
     * every further entry of the same ring takes the slot after the last one, whatever the host did to the ring's
     * registers in between.
     */
    private int completionSlot(TxRead read) {
        lastSlot = read.ring == lastRing ? (lastSlot + 1) & board.notificationMask() : read.head;
        lastRing = read.ring;
        return lastSlot;
    }

    /** Whole 4-byte words, counted in 18 bits: 0 for an entry of 0 bytes and for the three largest lengths. */
    private static int readBytes(int lengthBytes) {
        return (((lengthBytes - 1) >>> 2) + 1 & DWORD_COUNT_MASK) * DWORD_BYTES;
    }

    private boolean sendFlit(TxEntry entry) {
        if (data.isEmpty() || !wire.ready()) {
            return false;
        }
        data.next(flit);
        boolean start = cutter.startsPacket();
        int valid = cutter.take(flit);
        boolean end = valid > 0;
        metrics.count(EnsoCounter.TX_FLITS);
        if (end) {
            metrics.count(EnsoCounter.TX_PACKETS);
        }
        wire.flit(start, end, flit, Math.abs(valid));
        entry.remainingBytes -= EnsoFormats.FLIT_BYTES;
        return true;
    }

    private void complete(TxEntry entry) {
        long address = rings.address(entry.ring) + Integer.toUnsignedLong(entry.slot) * EnsoFormats.ENTRY_BYTES;
        completions.completion(address, entry.address, entry.lengthBytes);
    }
}
