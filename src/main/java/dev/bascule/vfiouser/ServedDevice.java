package dev.bascule.vfiouser;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.DmaAccess;
import dev.bascule.device.HostedInterrupts;
import dev.bascule.device.MappableMemory;
import dev.bascule.ffi.EventFd;
import dev.bascule.memory.SharedMemory;
import dev.bascule.pci.Capabilities;
import dev.bascule.pci.Capability;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ExpressCapability;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hosts a {@link DeviceModel} for clients: config space, BAR decoding, MSI-X table, reset.
 * <p>
 * Thread rule: accesses and reset are made one at a time here; the model's threads use it as its {@link DevicePort}.
 */
final class ServedDevice implements DevicePort {
    private static final String CUT = "the client cut memory that the device was using";

    private final DeviceModel model;
    private final Object access = new Object();
    private final ClientMemory memory = new ClientMemory(this::mastersBus, this::sendsAtomics, this::memoryCut);
    private final HostedInterrupts<EventFd> interrupts;
    private final int expressOffset;
    private volatile ConfigSpace config;
    private volatile boolean mastersBus;
    private volatile boolean sendsAtomics;
    private volatile @Nullable Consumer<String> cutOff;

    /** Plugs the model in. */
    ServedDevice(DeviceModel model) {
        this.model = model;
        this.config = model.powerOnConfig();
        this.expressOffset = Capabilities.of(config).find(Capability.EXPRESS).map(Capability::offset).orElse(0);
        this.interrupts = new HostedInterrupts<>(config, false, EventFd::signal);
    }

    DeviceModel model() {
        return model;
    }

    ClientMemory memory() {
        return memory;
    }

    HostedInterrupts<EventFd> interrupts() {
        return interrupts;
    }

    @Override
    public DmaAccess dma() {
        return memory;
    }

    @Override
    public void raise(int vector) {
        if (mastersBus) { // a message interrupt is a write of the device
            interrupts.raise(vector);
        }
    }

    @Override
    public void intx(boolean asserted) {
        interrupts.setPin(asserted);
    }

    /** A client is there; {@code way} cuts it off, from any thread and without waiting, for the reason given. */
    void attach(Consumer<String> way) {
        cutOff = way;
    }

    /** Threads of a model report here what they could not recover from: it is the client's doing, or ends with it. */
    @Override
    public void failed(Throwable cause) {
        cutOff(SharedMemory.isTruncation(cause) ? CUT : "the device met " + cause);
        reset();
    }

    private void memoryCut() {
        cutOff(CUT);
    }

    private void cutOff(String reason) {
        Consumer<String> way = cutOff;
        if (way != null) {
            way.accept(reason);
        }
    }

    private boolean mastersBus() {
        return mastersBus;
    }

    private boolean sendsAtomics() {
        return sendsAtomics;
    }

    @Nullable
    Bar bar(int index) {
        List<Bar> bars = model.bars();
        for (int i = 0; i < bars.size(); i++) { // an iterator would be an object for each access
            if (bars.get(i).index() == index) {
                return bars.get(i);
            }
        }
        return null;
    }

    /** Bytes of a region, 0 for one the device does not have. */
    long regionBytes(int region) {
        if (region == Protocol.CONFIG_REGION) {
            return config.sizeBytes();
        }
        Bar bar = region < Protocol.BARS ? bar(region) : null;
        return bar == null ? 0 : bar.sizeBytes();
    }

    /** Reads a checked range of a region, in natural accesses. */
    void read(int region, long offset, MemorySegment into) {
        synchronized (access) {
            for (long done = 0; done < into.byteSize();) {
                int width = Fields.piece(offset + done, into.byteSize() - done);
                Fields.put(into, done, width, region == Protocol.CONFIG_REGION
                        ? config.read((int) (offset + done), width)
                        : readBar(region, offset + done, width));
                done += width;
            }
        }
    }

    /** Writes a checked range of a region, in natural accesses. */
    void write(int region, long offset, MemorySegment from) {
        synchronized (access) {
            for (long done = 0; done < from.byteSize();) {
                int width = Fields.piece(offset + done, from.byteSize() - done);
                long value = Fields.get(from, done, width);
                if (region == Protocol.CONFIG_REGION) {
                    writeConfig((int) (offset + done), width, value);
                } else {
                    writeBar(region, offset + done, width, value);
                }
                done += width;
            }
        }
    }

    private long readBar(int bar, long offset, int width) {
        if (interrupts.covers(bar, offset)) {
            return interrupts.readTable(bar, offset, width);
        }
        MemorySegment mapped = mapped(bar, offset, width);
        return mapped == null ? model.read(bar, offset, width) : Fields.get(mapped, offset, width);
    }

    private void writeBar(int bar, long offset, int width, long value) {
        if (interrupts.covers(bar, offset)) {
            interrupts.writeTable(bar, offset, width, value);
            return;
        }
        MemorySegment mapped = mapped(bar, offset, width);
        if (mapped == null) {
            model.write(bar, offset, width, value);
        } else {
            Fields.put(mapped, offset, width, value);
        }
    }

    private @Nullable MemorySegment mapped(int index, long offset, int width) {
        Bar bar = bar(index);
        MappableMemory memory = bar != null && bar.isMappable(offset, width) ? model.memory(index) : null;
        return memory == null ? null : memory.segment();
    }

    private void writeConfig(int offset, int width, long value) {
        config.write(offset, width, value);
        int flr = expressOffset + 9 - offset; // byte 9 of the capability, bit 7: initiate function-level reset
        if (expressOffset != 0 && flr >= 0 && flr < width && (value >>> 8 * flr & 0x80) != 0) {
            reset();
            return;
        }
        mastersBus = (config.read16(ConfigSpace.COMMAND) & ConfigSpace.BUS_MASTER) != 0;
        sendsAtomics = expressOffset != 0 && ExpressCapability.sendsAtomics(config, expressOffset);
        interrupts.configChanged();
        model.configWritten(offset, width);
    }

    /** Function-level reset; the client's mappings and eventfds stay. */
    void reset() {
        synchronized (access) {
            sendsAtomics = false;
            mastersBus = false; // first, so that nothing leaves the device
            config = model.powerOnConfig();
            interrupts.reset(config);
            model.reset();
        }
    }

    /** Releases everything of a client that has left but its eventfds; the device keeps the rest of its state. */
    void release() {
        cutOff = null;
        synchronized (access) {
            mastersBus = false;
            config.set(ConfigSpace.COMMAND, 2, config.read16(ConfigSpace.COMMAND) & ~ConfigSpace.BUS_MASTER);
        }
        memory.connect(null);
        memory.unmapAll();
    }
}
