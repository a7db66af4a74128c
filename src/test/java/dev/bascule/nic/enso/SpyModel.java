package dev.bascule.nic.enso;

import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.ForwardingModel;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.util.ArrayList;
import java.util.List;

/** Another model, with a list of the stores it was given; optionally with a foreign identity. */
final class SpyModel extends ForwardingModel {
    record Store(long offset, int widthBytes, long value) {}

    private final List<Store> stores = new ArrayList<>();
    private final List<DevicePort> ports = new ArrayList<>();
    private final int vendorId;

    SpyModel(DeviceModel model) {
        this(model, EnsoRegisters.VENDOR_ID);
    }

    SpyModel(DeviceModel model, int vendorId) {
        super(model);
        this.vendorId = vendorId;
    }

    List<Store> stores() {
        return stores;
    }

    List<DevicePort> ports() {
        return ports;
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return vendorId == EnsoRegisters.VENDOR_ID
                ? super.powerOnConfig()
                : new ConfigSpaceBuilder(vendorId, 1, EnsoRegisters.CLASS_CODE, 1)
                        .memoryBar(EnsoRegisters.BAR_INDEX, EnsoRegisters.BAR_BYTES, true, true).build();
    }

    @Override
    public void connect(DevicePort port) {
        ports.add(port);
        super.connect(port);
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        stores.add(new Store(offset, widthBytes, value));
        super.write(bar, offset, widthBytes, value);
    }
}
