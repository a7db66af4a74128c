package dev.bascule.model.enso;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.ffi.OwnThread;
import dev.bascule.nic.enso.EnsoRegisters;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import dev.bascule.ring.IdleStrategy;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An Ensō NIC as a PCI function: identity, BAR 2 with every register, and the {@link EnsoModel} behind it. Poll-only,
 * as the hardware: it has an MSI capability and never uses it. A reset restarts the engines; queue registers, flows and
 * configuration lie in memory that it does not reach, as in the RTL. The board's settings stay as after a function-level
 * reset, or are cleared as by {@code pcie_reset_n}, see {@link #resetBoardToo}.
 * <p>
 * Thread rule: all methods may be called from any thread; one at a time does its work. The device works in
 * {@link #work} or on a thread of its own after {@link #start}. The wire sink is called with the device busy and must
 * not call back.
 */
public final class EnsoDevice implements DeviceModel {
    private static final int WORK_PORTION = 256;

    private final ReentrantLock busy = new ReentrantLock();
    private final CycleClock clock;
    private final WireSink wire;
    private final EnsoObserver observer;
    private final ModelTiming timing;
    private EnsoBoard board;
    private @Nullable EnsoModel model;
    private volatile @Nullable DevicePort link;
    private @Nullable Thread worker;
    private volatile boolean running;
    private volatile @Nullable Runnable boardReset;

    /** A device not yet plugged in, which answers at once; see {@link EnsoModel#EnsoModel}. */
    public EnsoDevice(EnsoBoard board, CycleClock clock, WireSink wire) {
        this(board, clock, wire, ModelTiming.IMMEDIATE);
    }

    /** A device that answers when {@code timing} says. */
    public EnsoDevice(EnsoBoard board, CycleClock clock, WireSink wire, ModelTiming timing) {
        this(board, clock, wire, timing, EnsoObserver.NONE);
    }

    /** A device that answers when {@code timing} says, watched by {@code observer}. */
    public EnsoDevice(EnsoBoard board, CycleClock clock, WireSink wire, ModelTiming timing, EnsoObserver observer) {
        this.timing = timing;
        this.board = board;
        this.clock = clock;
        this.wire = wire;
        this.observer = observer;
    }

    @Override
    public String name() {
        return "enso";
    }

    @Override
    public List<Bar> bars() {
        return List.of(new Bar(EnsoRegisters.BAR_INDEX, EnsoRegisters.BAR_BYTES, true, true, List.of()));
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return new ConfigSpaceBuilder(EnsoRegisters.VENDOR_ID, EnsoRegisters.DEVICE_ID, EnsoRegisters.CLASS_CODE,
                EnsoRegisters.REVISION).memoryBar(EnsoRegisters.BAR_INDEX, EnsoRegisters.BAR_BYTES, true, true).msi(1)
                .powerManagement().express().build();
    }

    @Override
    public void connect(DevicePort port) {
        link = port;
        locked(() -> {
            model = new EnsoModel(port.dma(), board, clock, wire, observer);
            model.timing(timing);
            return model;
        });
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        return locked(() -> model == null || bar != EnsoRegisters.BAR_INDEX ? 0L : model.read(offset, widthBytes));
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        busy.lock();
        try {
            if (model != null && bar == EnsoRegisters.BAR_INDEX) {
                model.write(offset, widthBytes, value);
            }
        } finally {
            busy.unlock();
        }
    }

    /** A frame arrives from the wire, without FCS. The array is not kept. */
    public void receive(byte[] frame, int offset, int lengthBytes) {
        busy.lock();
        try {
            if (model != null) {
                model.receive(frame, offset, lengthBytes);
            }
        } finally {
            busy.unlock();
        }
    }

    /** As {@link EnsoModel#offer}; false also before the device is plugged in. */
    public boolean offer(byte[] frame, int offset, int lengthBytes) {
        busy.lock();
        try {
            return model != null && model.offer(frame, offset, lengthBytes);
        } finally {
            busy.unlock();
        }
    }

    /** Does up to {@code limit} units of work; returns how many. */
    public int work(int limit) {
        busy.lock();
        try {
            return model == null ? 0 : model.work(limit);
        } finally {
            busy.unlock();
        }
    }

    /** Starts a thread on which the device works until {@link #close()}; call it once. */
    void start(Supplier<IdleStrategy> idle) {
        busy.lock();
        try {
            if (worker != null) {
                throw new IllegalStateException("the device already has a thread");
            }
            running = true;
            worker = OwnThread.of("enso-device", () -> loop(idle.get()));
            worker.start();
        } finally {
            busy.unlock();
        }
    }

    /**
     * From now on a reset clears the settings of the board, as that of the PCIe link does in the RTL ({@code pcie_reset_n}).
     * Otherwise they stay, as after a function-level reset that does not reach them.
     *
     * @param told called after each such reset, on its thread
     */
    public void resetBoardToo(Runnable told) {
        boardReset = told;
    }

    /** Gives the board other settings from now on, as its console does. */
    public void board(EnsoBoard settings) {
        busy.lock();
        try {
            board = settings;
            if (model != null) {
                model.board(settings);
            }
        } finally {
            busy.unlock();
        }
    }

    /** Counters of the device; {@link IllegalStateException} before it is plugged in. */
    public EnsoMetrics metrics() {
        return locked(() -> {
            if (model == null) {
                throw new IllegalStateException("the device is not plugged in; open it with a backing first");
            }
            return model.metrics();
        });
    }

    @Override
    public void reset() {
        busy.lock();
        try {
            Runnable told = boardReset;
            if (told != null) {
                board(EnsoBoard.AFTER_LOAD);
                told.run();
            }
            if (model != null) {
                model.resetEngines();
            }
        } finally {
            busy.unlock();
        }
    }

    @Override
    public void close() {
        running = false;
        Thread thread = worker;
        if (thread != null) {
            thread.interrupt();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void loop(IdleStrategy idle) {
        while (running) {
            idle.idle(workGuarded());
        }
    }

    private int workGuarded() {
        try {
            return work(WORK_PORTION);
        } catch (RuntimeException | Error e) {
            DevicePort port = link;
            if (port == null) {
                throw e;
            }
            port.failed(e);
            return 0;
        }
    }

    private <T> T locked(Supplier<T> action) {
        busy.lock();
        try {
            return action.get();
        } finally {
            busy.unlock();
        }
    }
}
