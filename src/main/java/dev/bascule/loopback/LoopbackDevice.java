package dev.bascule.loopback;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.Bar;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceInfo;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.DmaAccess;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.pci.Capabilities;
import dev.bascule.pci.Capability;
import dev.bascule.pci.ConfigSpace;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Hosts a {@link DeviceModel} in this process: config space, MSI-X table, IOMMU, reset, with the latencies of a {@link
 * LinkProfile} and the faults of a {@link FaultPlan}. The model sees one access at a time; injected latency is waited
 * for outside that lock.
 */
public final class LoopbackDevice implements DeviceBacking {
    private enum State {
        ALIVE, DEAD, REMOVED, CLOSED
    }

    private final DeviceModel model;
    private final LinkProfile profile;
    private final FaultPlan plan;
    private final LoopbackAddressSpace space;
    private final LoopbackInterrupts interrupts;
    private final Map<Integer, LoopbackBar> bars = new HashMap<>();
    private final Map<Integer, LinkedMemory> memories = new HashMap<>();
    private final Registers configRegisters = new Config();
    private final DeviceInfo info;
    private final BarAccess access;
    private final int expressOffset;
    private final AtomicInteger windows = new AtomicInteger();
    private volatile ConfigSpace config;
    private volatile State state = State.ALIVE;

    private LoopbackDevice(DeviceModel model, LoopbackAddressSpace space, LinkProfile profile, FaultPlan plan) {
        this.model = model;
        this.space = space;
        this.profile = profile;
        this.plan = plan;
        this.config = model.powerOnConfig();
        this.expressOffset = Capabilities.of(config).find(Capability.EXPRESS).map(Capability::offset).orElse(0);
        this.info = new DeviceInfo(model.name(), "loopback", null, config.read16(0), config.read16(2),
                config.read32(8) >>> 8, -1);
        this.interrupts = new LoopbackInterrupts(model.name(), config, profile.msixNanos(),
                plan.concerns(FaultSite.INTERRUPT) ? plan.injector(FaultSite.INTERRUPT, 0) : null);
        this.access = new BarAccess(model, interrupts.hosted());
        for (Bar bar : model.bars()) {
            bars.put(bar.index(), new LoopbackBar(this, bar.index(), bar.sizeBytes(), profile, plan));
        }
    }

    /** Plugs a model in, without latency or faults, with an address space of its own. The device owns the model. */
    public static LoopbackDevice open(DeviceModel model) {
        return open(model, new LoopbackAddressSpace(), LinkProfile.ZERO, FaultPlan.NONE);
    }

    /** Plugs a model in. The device owns the model; the address space may be shared with other devices. */
    public static LoopbackDevice open(DeviceModel model, LoopbackAddressSpace space, LinkProfile profile,
            FaultPlan plan) {
        LoopbackDevice device = new LoopbackDevice(model, space, profile, plan);
        model.connect(device.new Port());
        return device;
    }

    /** The device's end of the link. */
    private final class Port implements DevicePort {
        private final LoopbackDma dma = new LoopbackDma(space, profile, plan, LoopbackDevice.this::mastersBus);

        @Override
        public DmaAccess dma() {
            return dma;
        }

        @Override
        public void raise(int vector) {
            if (mastersBus()) { // a message interrupt is a write of the device
                interrupts.hosted().raise(vector);
            }
        }

        @Override
        public void intx(boolean asserted) {
            if (state == State.ALIVE) {
                interrupts.hosted().setPin(asserted);
            }
        }
    }

    /** Config space as registers. */
    private final class Config implements Registers {
        @Override
        public long sizeBytes() {
            return config.sizeBytes();
        }

        @Override
        public long read(long offset, int widthBytes) {
            Registers.check(offset, widthBytes, sizeBytes());
            synchronized (accessLock()) {
                ensureOpen();
                return isRemoved() ? LoopbackBar.ones(widthBytes) : config.read((int) offset, widthBytes);
            }
        }

        @Override
        public void write(long at, int widthBytes, long value) {
            Registers.check(at, widthBytes, sizeBytes());
            int offset = (int) at;
            synchronized (accessLock()) {
                ensureOpen();
                if (isRemoved()) {
                    return;
                }
                config.write(offset, widthBytes, value);
                int flr = expressOffset + 9 - offset; // byte 9 of the capability, bit 7: initiate function-level reset
                if (expressOffset != 0 && flr >= 0 && flr < widthBytes && (value >>> 8 * flr & 0x80) != 0) {
                    reset();
                    return;
                }
                interrupts.hosted().configChanged();
                model.configWritten(offset, widthBytes);
            }
        }
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    @Override
    public List<Bar> bars() {
        return model.bars();
    }

    @Override
    public Registers registers(int bar) {
        ensureOpen();
        LoopbackBar registers = bars.get(bar(bar).index());
        return Objects.requireNonNull(registers);
    }

    @Override
    public Registers config() {
        return configRegisters;
    }

    @Override
    public MemorySegment memory(int bar, long offset, long lengthBytes) {
        ensureOpen();
        MappableMemory memory = bar(bar).isMappable(offset, lengthBytes) ? model.memory(bar) : null;
        if (memory == null) {
            throw new DeviceException("map BAR " + bar, info + " [" + offset + ", +" + lengthBytes + ")",
                    "that part cannot be mapped", "use registers(" + bar + ")");
        }
        return memory.segment().asSlice(offset, lengthBytes);
    }

    @Override
    public Window window(int bar, MemoryType type) {
        if (type != MemoryType.UC && !bar(bar).prefetchable()) {
            throw new DeviceException("map BAR " + bar, info.toString(),
                    "it is not prefetchable and cannot be mapped " + type, "map it UC");
        }
        LinkedMemory memory = linked(bar);
        Window window = memory.host(type, plan.seed() + windows.incrementAndGet());
        return plan.concerns(FaultSite.HOST_TO_NIC)
                ? new FaultyWindow(window, plan.injector(FaultSite.HOST_TO_NIC, windows.get()))
                : window;
    }

    private synchronized LinkedMemory linked(int bar) {
        LinkedMemory memory = memories.get(bar);
        if (memory == null) {
            MemorySegment whole = memory(bar, 0, bar(bar).sizeBytes());
            // A model that reads its memory directly has nobody to ask whether a posted write arrived.
            memory = model instanceof LinkedModel linked
                    ? linked.linkedMemory(bar)
                    : new LinkedMemory(whole, null, profile.withMmioWrite(profile.mmioWriteNanos(), 0).withDma(0, 0));
            memories.put(bar, memory);
        }
        return memory;
    }

    @Override
    public AddressSpace addressSpace() {
        return space;
    }

    @Override
    public void setBusMaster(boolean enabled) {
        int command = configRegisters.read16(ConfigSpace.COMMAND);
        configRegisters.write16(ConfigSpace.COMMAND,
                enabled ? command | ConfigSpace.BUS_MASTER : command & ~ConfigSpace.BUS_MASTER);
    }

    @Override
    public int interruptCount(InterruptKind kind) {
        return interrupts.hosted().count(kind);
    }

    @Override
    public Interrupt openInterrupt(InterruptKind kind, int vector, @Nullable Runnable handler) {
        ensureOpen();
        return interrupts.open(kind, vector, handler);
    }

    /** Message interrupts that went nowhere: not enabled, or no such vector. */
    public long droppedInterrupts() {
        return interrupts.hosted().dropped();
    }

    @Override
    public void reset() {
        synchronized (accessLock()) {
            ensureOpen();
            if (state == State.REMOVED) {
                throw new DeviceRemovedException("reset", info.toString());
            }
            config = model.powerOnConfig(); // bus mastering goes off first, so that nothing leaves the device
            interrupts.reset(config);
            model.reset();
            state = State.ALIVE;
        }
    }

    /** Pulls the device out now. */
    public void surpriseRemove() {
        strike(FaultKind.REMOVE);
    }

    /** Hangs the device now, until it is reset. */
    public void hang() {
        strike(FaultKind.DEAD);
    }

    @Override
    public void close() {
        synchronized (accessLock()) {
            if (state == State.CLOSED) {
                return;
            }
            state = State.CLOSED;
        }
        interrupts.close();
        model.close();
    }

    Object accessLock() {
        return bars;
    }

    void ensureOpen() {
        if (state == State.CLOSED) {
            throw new IllegalStateException(info + " is closed");
        }
    }

    boolean isRemoved() {
        return state == State.REMOVED;
    }

    boolean isDead() {
        return state == State.DEAD;
    }

    void strike(@Nullable FaultKind kind) {
        if (kind == FaultKind.REMOVE && state != State.CLOSED && state != State.REMOVED) {
            state = State.REMOVED;
            interrupts.hosted().fire(InterruptKind.REQUEST, 0);
        } else if (kind == FaultKind.DEAD && state == State.ALIVE) {
            state = State.DEAD;
        }
    }

    private boolean mastersBus() {
        return state == State.ALIVE && (config.read16(ConfigSpace.COMMAND) & ConfigSpace.BUS_MASTER) != 0;
    }

    /** The device behind link and faults; used under the access lock. */
    BarAccess access() {
        return access;
    }
}
