package dev.bascule.device;

import dev.bascule.memory.SharedMemory;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A device for tests of what hosts devices: BAR 0 has registers, MSI-X, a pin and a copying DMA engine; BAR 2 is memory
 * that another process can map; of BAR 4 only a part is memory.
 */
public final class ProbeModel implements DeviceModel {
    public static final long COUNTER = 0x100;
    public static final long RAISE = 0x108;
    public static final long PIN = 0x110;
    public static final long SOURCE = 0x120;
    public static final long TARGET = 0x128;
    public static final long LENGTH = 0x130;
    /** 1: copies during the write. 2: on a thread of the device. */
    public static final long COPY = 0x138;
    /** Copies done, and in the upper half those that failed. */
    public static final long COPIES = 0x140;
    /** Throws, as a model never should. */
    public static final long BUG = 0x148;
    public static final long TABLE = 0x800;
    public static final long PENDING = 0xc00;
    public static final int VECTORS = 4;
    public static final long MEMORY_BYTES = 16384;
    public static final long AREA_OFFSET = 4096;
    public static final long AREA_BYTES = 8192;

    private final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private final SharedMemory memory = SharedMemory.create("probe", MEMORY_BYTES);
    private final SharedMemory partly = SharedMemory.create("probe-partly", MEMORY_BYTES);
    private final MemorySegment staging = Arena.ofAuto().allocate(4 << 20, 64);
    private final long[] registers = new long[40];
    private long counter;
    private long copies;
    private @Nullable DevicePort port;
    private volatile int resets;
    private volatile boolean closed;

    /** Accesses that reached the registers: offset/width=value. */
    public List<String> log() {
        return log;
    }

    /** What is behind BAR 2. */
    public MemorySegment memory() {
        return memory.segment();
    }

    public DevicePort port() {
        return java.util.Objects.requireNonNull(port);
    }

    public int resets() {
        return resets;
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public String name() {
        return "probe";
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.registers(0, 4096), Bar.memory(2, MEMORY_BYTES),
                new Bar(4, MEMORY_BYTES, false, true, List.of(new Bar.Area(AREA_OFFSET, AREA_BYTES))));
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return new ConfigSpaceBuilder(0x1234, 0x0e00, 0xff0000, 0).memoryBar(0, 4096, false, false)
                .memoryBar(2, MEMORY_BYTES, true, true).memoryBar(4, MEMORY_BYTES, false, true).interruptPin(1)
                .msi(VECTORS).msix(VECTORS, 0, TABLE, 0, PENDING).express().build();
    }

    @Override
    public void connect(DevicePort devicePort) {
        port = devicePort;
    }

    @Override
    public synchronized long read(int bar, long offset, int widthBytes) {
        if (bar != 0) {
            return 0;
        }
        if (offset == COUNTER) {
            return counter++;
        }
        if (offset == COPIES) {
            return copies;
        }
        return offset < 320 ? registers[(int) offset / 8] >>> 8 * (offset & 7) : 0;
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        log.add((bar == 0 ? "" : bar + ":") + Long.toHexString(offset) + "/" + widthBytes + "="
                + Long.toHexString(value));
        if (bar != 0) {
            return;
        }
        if (offset == BUG) {
            throw new IllegalStateException("the model has a bug");
        }
        keep(offset, widthBytes, value);
        if (offset == RAISE) {
            port().raise((int) value);
        } else if (offset == PIN) {
            port().intx(value != 0);
        } else if (offset == COPY && value == 1) {
            copy();
        } else if (offset == COPY && value == 2) {
            Thread.ofPlatform().daemon().start(this::copy);
        }
    }

    private synchronized void keep(long offset, int widthBytes, long value) {
        if (offset < 320) {
            long mask = -1L >>> 64 - 8 * widthBytes << 8 * (offset & 7);
            int index = (int) offset / 8;
            registers[index] = registers[index] & ~mask | value << 8 * (offset & 7) & mask;
        }
    }

    /** Holds its lock, as models do: an access meanwhile waits. */
    private synchronized void copy() {
        long bytes = registers[(int) LENGTH / 8];
        boolean done = bytes <= staging.byteSize()
                && port().dma().read(registers[(int) SOURCE / 8], staging, 0, bytes)
                && port().dma().write(registers[(int) TARGET / 8], staging, 0, bytes);
        copies += done ? 1 : 1L << 32;
    }

    @Override
    public @Nullable MappableMemory memory(int bar) {
        return switch (bar) {
            case 2 -> new MappableMemory(memory.segment(), memory.fileDescriptor(), 0);
            case 4 -> new MappableMemory(partly.segment(), partly.fileDescriptor(), 0);
            default -> null;
        };
    }

    @Override
    public synchronized void reset() {
        java.util.Arrays.fill(registers, 0);
        counter = 0;
        copies = 0;
        resets++;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            memory.close();
            partly.close();
        }
    }
}
