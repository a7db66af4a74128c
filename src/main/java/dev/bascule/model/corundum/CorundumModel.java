package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.config.ModelTiming;
import dev.bascule.ffi.OwnThread;
import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.model.Losses;
import dev.bascule.model.ModelThread;
import dev.bascule.model.WireEnd;
import dev.bascule.model.parts.HostPort;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import dev.bascule.ring.Clock;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A Corundum NIC as a PCI function, for any host of {@link DeviceModel}s. Writes are posted; a read sees all writes
 * before it. Packets move on a thread of the model or, without one, during {@link #poll}.
 */
public final class CorundumModel implements DeviceModel {
    private static final List<Bar> BARS = List.of(new Bar(0, BAR0_BYTES, true, true, List.of()));
    private static final int BUDGET = 64;
    private static final long PARK_NANOS = 50_000;
    private static final int SPINS_BEFORE_PARK = 2_000;

    private final CorundumConfig config;
    private final boolean ownThread;
    private final PostedWrites posted = new PostedWrites();
    private final ReentrantLock lock = new ReentrantLock();
    private final CorundumDevice device;
    private final PortLinks links;
    private Losses beforeReset = Losses.NONE;
    private final HostPort host = new HostPort();
    private volatile boolean closed;
    private volatile boolean parked;
    private @Nullable Thread thread;

    /**
     * @param config the design
     * @param wires one for each port, over all interfaces; closed with the model
     * @param ownThread whether a thread of the model moves packets
     */
    public CorundumModel(CorundumConfig config, List<WireEnd> wires, boolean ownThread) {
        this(config, wires, ownThread, null);
    }

    /** A model that {@code observer} watches, unless null; it is called with the device busy and must not call back. */
    public CorundumModel(CorundumConfig config, List<WireEnd> wires, boolean ownThread,
            @Nullable CorundumObserver observer) {
        this(config, wires, ownThread, observer, Clock.system());
    }

    /** A model in the time of {@code clock}, by which the PTP clock runs, links come up and interrupts are spaced. */
    public CorundumModel(CorundumConfig config, List<WireEnd> wires, boolean ownThread,
            @Nullable CorundumObserver observer, Clock clock) {
        if (wires.size() != config.allPorts()) {
            throw new IllegalArgumentException(
                    "corundum: " + wires.size() + " wires for " + config.allPorts() + " ports; each needs one");
        }
        this.config = config;
        this.ownThread = ownThread;
        device = new CorundumDevice(config, host, host::raise, this::leave, clock, observer);
        links = new PortLinks(device, wires, clock, config.linkDelayNanos());
    }

    @Override
    public String name() {
        return "corundum";
    }

    @Override
    public List<Bar> bars() {
        return BARS;
    }

    @Override
    public ConfigSpace powerOnConfig() {
        int board = config.identity().boardId();
        ConfigSpaceBuilder builder = new ConfigSpaceBuilder(VENDOR_ID, DEVICE_ID, CLASS_CODE, 0)
                .subsystem(board >>> 16, board & 0xFFFF).memoryBar(0, BAR0_BYTES, true, true).powerManagement();
        if (config.msix()) {
            builder.msix(1 << config.interruptIndexBits(), 0, MSIX_TABLE_OFFSET, 0, MSIX_PENDING_OFFSET);
        }
        return builder.express().build();
    }

    @Override
    public void connect(DevicePort devicePort) {
        host.connect(devicePort);
        if (ownThread) {
            Thread worker = OwnThread.of("bascule-corundum", this::work);
            thread = worker;
            worker.start();
        }
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        if (bar != 0) {
            return 0;
        }
        lock.lock();
        try {
            posted.drainTo(device);
            if (config.timing() == ModelTiming.RTL) {
                device.work(BUDGET); // a driver that waits by reading registers sees the device go on
            }
            return device.read(offset, widthBytes);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        if (bar != 0 || offset < 0 || offset >= BAR0_BYTES) {
            return;
        }
        while (!posted.add(offset, widthBytes, value)) {
            drain();
        }
        // No full fence between the two: it would be paid at each doorbell of the driver, and a wake-up that is missed so
        // costs one PARK_NANOS.
        if (parked) {
            LockSupport.unpark(thread);
        }
    }

    private void drain() {
        lock.lock();
        try {
            posted.drainTo(device);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets the device take a bounded number of register writes and frames and move packets; returns how much it did, and 0
     * only if nothing goes on by itself.
     */
    public int poll() {
        lock.lock();
        try {
            int done = posted.drainTo(device) + links.poll() + device.work(BUDGET);
            return done == 0 && device.isBusy() ? 1 : done;
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        int idle = 0;
        while (!closed) {
            if (pollGuarded() != 0) {
                idle = 0;
            } else if (++idle < SPINS_BEFORE_PARK) {
                Thread.onSpinWait();
            } else {
                park();
            }
        }
    }

    private int pollGuarded() {
        try {
            return poll();
        } catch (RuntimeException | Error e) {
            if (!host.failed(e)) {
                throw e;
            }
            return 0;
        }
    }

    /** Wires cannot wake the thread, so it looks again after a while. */
    private void park() {
        parked = true;
        if (posted.isEmpty() && !closed) {
            LockSupport.parkNanos(this, PARK_NANOS);
        }
        parked = false;
    }

    /** Plugs or unplugs a port's cable, as its status registers show it. */
    public void setLinkUp(int portNumber, boolean up) {
        lock.lock();
        try {
            links.plug(portNumber, up);
        } finally {
            lock.unlock();
        }
    }

    /** Frames lost by port, queue or wire, over all resets: a client that comes or goes resets the device. */
    public Losses losses() {
        lock.lock();
        try {
            return beforeReset.plus(device.losses()).plus(links.losses());
        } finally {
            lock.unlock();
        }
    }

    /** Frames, completions and events lost since reset, for whatever reason. */
    public long dropped() {
        lock.lock();
        try {
            return device.dropped();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void reset() {
        lock.lock();
        try {
            posted.drainTo(device);
            beforeReset = beforeReset.plus(device.losses());
            device.reset();
            links.reset();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        closed = true;
        Thread worker = thread;
        if (worker != null && worker != Thread.currentThread()) {
            LockSupport.unpark(worker);
            ModelThread.join(worker);
        }
        links.close();
    }

    private void leave(int portNumber, byte[] data, int offset, int lengthBytes) {
        links.transmit(portNumber, data, offset, lengthBytes);
    }
}
