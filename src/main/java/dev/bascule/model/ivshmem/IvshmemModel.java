package dev.bascule.model.ivshmem;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.MappableMemory;
import dev.bascule.nic.ivshmem.IvshmemRegisters;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * QEMU's ivshmem-doorbell as a peer of an {@link IvshmemHub}. Source: QEMU documentation, "Device Specification for
 * Inter-VM shared memory", revision 1.
 */
public final class IvshmemModel implements DeviceModel {
    private static final long MSIX_BYTES = 4096;

    private final IvshmemHub hub;
    private final int position;
    private volatile @Nullable DevicePort port;

    IvshmemModel(IvshmemHub hub, int position) {
        this.hub = hub;
        this.position = position;
    }

    int position() {
        return position;
    }

    @Nullable
    DevicePort port() {
        return port;
    }

    @Override
    public String name() {
        return "ivshmem";
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.registers(IvshmemRegisters.REGISTER_BAR, IvshmemRegisters.REGISTER_BYTES),
                Bar.registers(IvshmemRegisters.MSIX_BAR, MSIX_BYTES),
                Bar.memory(IvshmemRegisters.MEMORY_BAR, hub.memory().sizeBytes()));
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return new ConfigSpaceBuilder(IvshmemRegisters.VENDOR_ID, IvshmemRegisters.DEVICE_ID, 0x050000, 1)
                .memoryBar(IvshmemRegisters.REGISTER_BAR, IvshmemRegisters.REGISTER_BYTES, false, false)
                .memoryBar(IvshmemRegisters.MSIX_BAR, MSIX_BYTES, false, false)
                .memoryBar(IvshmemRegisters.MEMORY_BAR, hub.memory().sizeBytes(), true, true)
                .msix(hub.vectors(), IvshmemRegisters.MSIX_BAR, 0, IvshmemRegisters.MSIX_BAR, MSIX_BYTES / 2).build();
    }

    @Override
    public void connect(DevicePort devicePort) {
        port = devicePort;
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        return bar == IvshmemRegisters.REGISTER_BAR && offset == IvshmemRegisters.POSITION ? position : 0;
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        if (bar == IvshmemRegisters.REGISTER_BAR && offset == IvshmemRegisters.DOORBELL) {
            int peer = (int) (value >>> 16 & 0xffff);
            int vector = (int) (value & 0xffff);
            hub.ring(peer, vector);
        }
    }

    @Override
    public @Nullable MappableMemory memory(int bar) {
        return bar == IvshmemRegisters.MEMORY_BAR
                ? new MappableMemory(hub.memory().segment(), hub.memory().fileDescriptor(), 0)
                : null;
    }

    @Override
    public void reset() {
        // the memory is everybody's, and there is no other state
    }

    @Override
    public void close() {
        port = null;
        hub.leave(this);
    }
}
