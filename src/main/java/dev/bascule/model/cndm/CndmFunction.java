package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.model.parts.HostPort;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import dev.bascule.ring.Clock;
import java.util.List;

/** The device as a PCI function: one BAR, MSI, and host memory once it is plugged in. */
final class CndmFunction implements DeviceModel {
    private static final List<Bar> BARS = List.of(new Bar(0, BAR0_BYTES, true, true, List.of()));

    final CndmDevice device;
    private final CndmConfig config;
    private final HostPort host = new HostPort();

    CndmFunction(CndmConfig config, CndmDevice.Wires wires, Clock clock) {
        this.config = config;
        device = new CndmDevice(config, host, host::raise, wires, clock,
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
        host.connect(devicePort);
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        if (bar != 0) {
            return 0;
        }
        if (config.timing() == ModelTiming.RTL) {
            device.work(CndmCard.WORK); // a driver that waits by reading registers sees the device go on
        }
        return device.read(offset, widthBytes);
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
}
