package dev.bascule.model.smartnic;

import dev.bascule.device.Bar;
import dev.bascule.device.DevicePort;
import dev.bascule.device.MappableMemory;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.loopback.LinkedModel;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The PCI function of a SmartNIC: BAR 0 control registers with the MSI-X table, BAR 2 the NIC memory of a
 * {@link SmartNicRegion} (prefetchable, so that the host may map it write-combining or write-through).
 * <p>
 * Not modelled on any product; its registers are in {@link SmartNicRegisters}.
 */
public final class SmartNicModel implements LinkedModel {
    private final SmartNicRegion region;
    private final @Nullable SignalSender[] doorbells = new SignalSender[SmartNicRegion.SIGNALS];
    private @Nullable DevicePort port;
    private int scratch;
    private long triggers;

    /** A function over this region, which stays the caller's. */
    public SmartNicModel(SmartNicRegion region) {
        this.region = region;
    }

    @Override
    public String name() {
        return "smartnic";
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.registers(0, SmartNicRegisters.BAR_BYTES),
                Bar.memory(2, region.nicMemory().segment().byteSize()));
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return new ConfigSpaceBuilder(SmartNicRegisters.VENDOR_ID, SmartNicRegisters.DEVICE_ID, 0x120000, 1)
                .memoryBar(0, SmartNicRegisters.BAR_BYTES, false, false)
                .memoryBar(2, region.nicMemory().segment().byteSize(), true, true).powerManagement()
                .msix(SmartNicRegion.SIGNALS, 0, SmartNicRegisters.MSIX_TABLE, 0, SmartNicRegisters.MSIX_PENDING)
                .express().build();
    }

    @Override
    public void connect(DevicePort devicePort) {
        port = devicePort;
    }

    @Override
    public LinkedMemory linkedMemory(int bar) {
        return region.nicMemory();
    }

    @Override
    public @Nullable MappableMemory memory(int bar) {
        return bar == 2 ? region.nicMappable() : null;
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        if (bar != 0) {
            return 0;
        }
        long low = register(offset & ~7L) & 0xffff_ffffL | register((offset & ~7L) + 4) << 32;
        return low >>> 8 * (offset & 7);
    }

    private long register(long offset) {
        return switch ((int) offset) {
            case (int) SmartNicRegisters.IDENTITY -> SmartNicRegisters.IDENTITY_VALUE;
            case (int) SmartNicRegisters.VERSION -> SmartNicRegisters.VERSION_VALUE;
            case (int) SmartNicRegisters.NIC_MEMORY_LOW -> region.nicMemory().segment().byteSize();
            case (int) SmartNicRegisters.NIC_MEMORY_HIGH -> region.nicMemory().segment().byteSize() >>> 32;
            case (int) SmartNicRegisters.SIGNALS -> SmartNicRegion.SIGNALS;
            case (int) SmartNicRegisters.SCRATCH -> scratch;
            case (int) SmartNicRegisters.TRIGGER_COUNT -> triggers;
            default -> 0;
        };
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        if (bar != 0 || widthBytes < 4) {
            return; // control registers take whole words
        }
        if (offset == SmartNicRegisters.SCRATCH) {
            scratch = (int) value;
        } else if (offset == SmartNicRegisters.TRIGGER) {
            triggers++;
            raise((int) value);
        } else if (offset >= SmartNicRegisters.DOORBELLS
                && offset < SmartNicRegisters.DOORBELLS + 8L * SmartNicRegion.SIGNALS && (offset & 7) == 0) {
            ring((int) (offset - SmartNicRegisters.DOORBELLS) / 8, value);
        }
    }

    /** Sends a message interrupt as the NIC's cores would, through the function. */
    public void raise(int vector) {
        if (port != null) {
            port.raise(vector);
        }
    }

    private void ring(int number, long value) {
        SignalSender doorbell = doorbells[number];
        if (doorbell == null) {
            doorbell = region.host().doorbell(number);
            doorbells[number] = doorbell;
        }
        doorbell.ring(value);
    }

    @Override
    public void reset() {
        scratch = 0;
        triggers = 0;
    }
}
