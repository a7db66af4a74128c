package dev.bascule.model.enso;

import dev.bascule.config.ModelTiming;
import dev.bascule.nic.enso.EnsoFormats;
import org.jspecify.annotations.Nullable;

/**
 * The PCIe-side block: above it the host (register accesses, DMA), below it packets that already carry a pipe and flits
 * cut for the wire. This is the part the recorded runs of the RTL cover.
 * <p>
 * Register stores and received packets take effect at once; the TX side advances by {@link #step()}. Head updates are
 * handled at the store unless {@link #deferHeadUpdates} says they wait, as they do in hardware while the pipe manager
 * is busy, or {@link #answerInTime} that they take as long as in the compiled design. Not thread-safe.
 */
final class PcieBlock implements RegisterFile.Events {
    /** Flits the pipe manager's size field can express. */
    private static final int MAX_FLITS = 63;
    /** From the store of a pipe's head, or another head update, to its answer: 55 cycles of the core [RTL]. */
    private static final long HEAD_UPDATE_CYCLES = cycles(55);
    /** From a register load to its value: 10 cycles of the core [RTL]. */
    private static final long LOAD_CYCLES = cycles(10);
    /** From a register load to when the processor has its value: the way over PCIe, a microsecond. */
    private static final long LOAD_SEEN_CYCLES = cycles(250);

    private final EnsoMetrics metrics;
    private final RegisterFile registers = new RegisterFile(this);
    private final HeadUpdateQueue headUpdates = new HeadUpdateQueue();
    private final PipeManager pipeManager;
    private final NotificationManager notificationManager;
    private final RxEngine rx;
    private final TxFetcher fetcher;
    private final TxEngine tx;
    private final RxMeta meta = new RxMeta();
    private @Nullable CycleClock answering;
    private boolean deferHeadUpdates;
    private boolean holdEntries;
    private long releasedEntries;

    PcieBlock(HostPort host, EnsoBoard board, FlitSink wire, ConfigSink configuration, EnsoMetrics metrics) {
        this.metrics = metrics;
        pipeManager = new PipeManager(registers.pipes, board, metrics);
        notificationManager = new NotificationManager(registers.rxRings, board, metrics);
        rx = new RxEngine(host, board, metrics);
        fetcher = new TxFetcher(registers.txRings, host, board, metrics);
        tx = new TxEngine(registers.txRings, fetcher, host, rx, wire, configuration, board, metrics);
    }

    void board(EnsoBoard board) {
        pipeManager.board(board);
        notificationManager.board(board);
        rx.board(board);
        tx.board(board);
        fetcher.board(board);
    }

    void write(long offset, int widthBytes, long value) {
        metrics.count(EnsoCounter.MMIO_WRITES);
        registers.write(offset, widthBytes, value);
    }

    long read(long offset, int widthBytes) {
        metrics.count(EnsoCounter.MMIO_READS);
        CycleClock clock = answering;
        if (clock == null) {
            return registers.read(offset, widthBytes);
        }
        long now = clock.cycles();
        answerHeadUpdates(now + LOAD_CYCLES);
        long value = registers.read(offset, widthBytes);
        answerHeadUpdates(now + LOAD_SEEN_CYCLES); // the value is this much older than what memory shows
        return value;
    }

    /** A packet for {@code pipe}, at most 63 flits; larger ones and empty ones are ignored and counted as jumbo. */
    void packet(int pipe, byte[] data, int offset, int lengthBytes) {
        int flits = flits(lengthBytes);
        if (flits == 0 || flits > MAX_FLITS) {
            metrics.count(EnsoCounter.RX_DROPPED_JUMBO);
            return;
        }
        answerHeadUpdates();
        metrics.count(EnsoCounter.RX_PACKETS);
        if (rx.blocked()) {
            metrics.count(EnsoCounter.RX_DROPPED_STOPPED);
            metrics.lose(pipe, EnsoDropReason.STOPPED);
            return;
        }
        pipeManager.packet(pipe, flits, meta);
        notificationManager.place(meta);
        rx.packet(meta, data, offset, lengthBytes);
    }

    private static int flits(int lengthBytes) {
        return (lengthBytes + EnsoFormats.FLIT_BYTES - 1) / EnsoFormats.FLIT_BYTES;
    }

    /** Whether a packet that arrives now reaches host memory, with its notification if it has one. */
    boolean hasRoom(int pipe, int lengthBytes) {
        answerHeadUpdates();
        return !rx.stopped() && pipeManager.hasRoom(pipe, flits(lengthBytes))
                && notificationManager.hasRoom(pipeManager.buffer(pipe), pipeManager.announcesNext(pipe));
    }

    /** Whether head updates wait for the next packet or step. */
    void deferHeadUpdates(boolean defer) {
        deferHeadUpdates = defer;
        if (!defer) {
            answerHeadUpdates();
        }
    }

    /** From now on head updates and loads take the cycles of the compiled design, counted by {@code clock}. */
    void answerInTime(CycleClock clock) {
        answering = clock;
    }

    private static long cycles(int coreCycles) {
        return coreCycles * ModelTiming.CYCLE_NANOS / EnsoFormats.NANOS_PER_CYCLE;
    }

    /** While held, the host answers no TX entries except those released. */
    void holdEntries(boolean hold) {
        holdEntries = hold;
        releasedEntries = 0;
    }

    /** While held: the host answers that many more entries, oldest first. */
    void releaseEntries(long count) {
        releasedEntries += count;
    }

    /** Does one unit of work of the TX side; false when it has none. */
    boolean step() {
        answerHeadUpdates();
        if (tx.step()) {
            return true;
        }
        if (!tx.takesEntry() || holdEntries && releasedEntries == 0) {
            return false;
        }
        if (holdEntries) {
            releasedEntries--;
        }
        tx.answerEntry();
        return true;
    }

    /** Resets the engines; registers and status bits live in block RAM and stay. */
    void resetEngines() {
        headUpdates.clear();
        rx.reset();
        fetcher.reset();
        tx.reset();
    }

    /** As after loading the bitstream. */
    void reload() {
        resetEngines();
        registers.clear();
        pipeManager.clear();
    }

    void forgiveMissingAddresses() {
        pipeManager.forgiveMissingAddresses();
        rx.forgiveMissingAddresses();
    }

    boolean hasBuffer(int pipe) {
        return pipeManager.hasBuffer(pipe);
    }

    void vacatePipe(int pipe) {
        registers.pipes.clearAddress(pipe);
    }

    void vacateBuffer(int buffer) {
        registers.rxRings.clearAddress(buffer);
        registers.txRings.clearAddress(buffer);
    }

    boolean rxStopped() {
        return rx.stopped();
    }

    @Override
    public void pipeHeadWritten(int pipe) {
        metrics.count(EnsoCounter.HEAD_UPDATES);
        CycleClock clock = answering;
        if (clock != null && headUpdates.isFull()) {
            answerHeadUpdates(Long.MAX_VALUE); // so many stores take longer than the oldest of them waits
        }
        if (!headUpdates.offer(pipe, clock == null ? 0 : clock.cycles() + HEAD_UPDATE_CYCLES)) {
            metrics.count(EnsoCounter.HEAD_UPDATES_IGNORED);
        }
        if (!deferHeadUpdates) {
            answerHeadUpdates();
        }
    }

    @Override
    public void txTailWritten(int ring) {
        metrics.count(EnsoCounter.TX_TAIL_UPDATES);
        fetcher.tailWritten(ring);
    }

    /** Answers the head updates that are due. */
    void answerHeadUpdates() {
        CycleClock clock = answering;
        answerHeadUpdates(clock == null || headUpdates.isEmpty() ? Long.MAX_VALUE : clock.cycles());
    }

    /** Answers those that are due by {@code cycle}. */
    private void answerHeadUpdates(long cycle) {
        while (!headUpdates.isEmpty() && (cycle == Long.MAX_VALUE || headUpdates.isDue(cycle)) && !rx.blocked()) {
            int pipe = headUpdates.remove();
            pipeManager.headUpdate(pipe, meta);
            notificationManager.place(meta);
            rx.headUpdate(meta);
        }
    }
}
