package dev.bascule.nic.enso;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.util.ArrayList;
import java.util.List;

/** Another model, with a list of the stores it was given; optionally with a foreign identity. */
record SpyModel(DeviceModel model, List<Store> stores, int vendorId, List<DevicePort> ports) implements DeviceModel {
    record Store(long offset, int widthBytes, long value) {}

    SpyModel(DeviceModel model) {
        this(model, new ArrayList<>(), EnsoRegisters.VENDOR_ID, new ArrayList<>());
    }

    @Override
    public String name() {
        return model.name();
    }

    @Override
    public List<Bar> bars() {
        return model.bars();
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return vendorId == EnsoRegisters.VENDOR_ID
                ? model.powerOnConfig()
                : new ConfigSpaceBuilder(vendorId, 1, EnsoRegisters.CLASS_CODE, 1)
                        .memoryBar(EnsoRegisters.BAR_INDEX, EnsoRegisters.BAR_BYTES, true, true).build();
    }

    @Override
    public void connect(DevicePort port) {
        ports.add(port);
        model.connect(port);
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        return model.read(bar, offset, widthBytes);
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        stores.add(new Store(offset, widthBytes, value));
        model.write(bar, offset, widthBytes, value);
    }

    @Override
    public void reset() {
        model.reset();
    }

    @Override
    public void close() {
        model.close();
    }
}
