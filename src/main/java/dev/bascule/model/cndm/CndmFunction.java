package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.DmaAccess;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import dev.bascule.ring.Clock;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The device as a PCI function: one BAR, MSI, and host memory once it is plugged in. */
final class CndmFunction implements DeviceModel {
    private static final List<Bar> BARS = List.of(new Bar(0, BAR0_BYTES, true, true, List.of()));

    final CndmDevice device;
    private final CndmConfig config;
    private volatile @Nullable DevicePort port;

    CndmFunction(CndmConfig config, CndmDevice.Wires wires, Clock clock) {
        this.config = config;
        device = new CndmDevice(config, new Host(), this::raise, wires, clock,
                config.macAddress() == 0 ? null : CndmBoard.of(config.macAddress(), config.ports()), null);
    }

    @Override
    public String name() {
        return "cndm";
    }

    @Override
    public List<Bar> bars() {
        return BARS;
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return new ConfigSpaceBuilder(VENDOR_ID, DEVICE_ID, CLASS_CODE, 0)
                .subsystem(config.boardId() >>> 16, config.boardId() & 0xFFFF).memoryBar(0, BAR0_BYTES, true, true)
                .powerManagement().msi(INTERRUPTS).express().build();
    }

    @Override
    public void connect(DevicePort devicePort) {
        port = devicePort;
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        return bar == 0 ? device.read(offset, widthBytes) : 0;
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        if (bar == 0) {
            device.write(offset, widthBytes, value);
        }
    }

    @Override
    public void reset() {
        device.reset();
    }

    private void raise(int vector) {
        DevicePort current = port;
        if (current != null) {
            current.raise(vector);
        }
    }

    /** Nothing answers before the device is plugged in. */
    private final class Host implements DmaAccess {
        @Override
        public boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
            DevicePort current = port;
            return current != null && current.dma().read(iova, to, toOffset, lengthBytes);
        }

        @Override
        public boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
            DevicePort current = port;
            return current != null && current.dma().write(iova, from, fromOffset, lengthBytes);
        }
    }
}
