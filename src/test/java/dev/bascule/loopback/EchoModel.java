package dev.bascule.loopback;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.MappableMemory;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A device for tests: registers that keep and log what is written, a register with a side effect, memory, DMA copy. */
final class EchoModel implements DeviceModel {
    static final long COUNTER = 0x100;
    static final long RAISE = 0x108;
    static final long PIN = 0x110;

    final List<String> log = new ArrayList<>();
    final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
    private final long[] registers = new long[32];
    private long counter;
    private @Nullable DevicePort port;
    boolean closed;

    DevicePort port() {
        return java.util.Objects.requireNonNull(port);
    }

    @Override
    public String name() {
        return "echo";
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.registers(0, 4096), Bar.memory(2, 4096));
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return new ConfigSpaceBuilder(0x1234, 0x0e00, 0xff0000, 0).memoryBar(0, 4096, false, false)
                .memoryBar(2, 4096, true, true).interruptPin(1).msi(4).msix(4, 0, 0x800, 0, 0xc00).express().build();
    }

    @Override
    public void connect(DevicePort devicePort) {
        port = devicePort;
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        if (offset == COUNTER) {
            return counter++;
        }
        return offset < 256 ? registers[(int) offset / 8] >>> 8 * (offset & 7) : 0;
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        log.add(Long.toHexString(offset) + "/" + widthBytes + "=" + Long.toHexString(value));
        if (offset == RAISE) {
            port().raise((int) value);
        } else if (offset == PIN) {
            port().intx(value != 0);
        } else if (offset < 256) {
            long mask = LoopbackBar.ones(widthBytes) << 8 * (offset & 7);
            int index = (int) offset / 8;
            registers[index] = registers[index] & ~mask | value << 8 * (offset & 7) & mask;
        }
    }

    @Override
    public MappableMemory memory(int bar) {
        return MappableMemory.local(memory);
    }

    @Override
    public void reset() {
        java.util.Arrays.fill(registers, 0);
        counter = 0;
    }

    @Override
    public void close() {
        closed = true;
    }
}
