package dev.bascule.app.enso;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.MappableMemory;
import dev.bascule.pci.ConfigSpace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model whose register accesses are counted on their way. */
final class CountingModel implements DeviceModel {
    private final DeviceModel model;
    private @Nullable PcieCount count;

    CountingModel(DeviceModel model) {
        this.model = model;
    }

    void count(@Nullable PcieCount into) {
        count = into;
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
        return model.powerOnConfig();
    }

    @Override
    public void connect(DevicePort port) {
        model.connect(port);
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        if (count != null) {
            count.registerLoad(widthBytes);
        }
        return model.read(bar, offset, widthBytes);
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        if (count != null) {
            count.registerStore(widthBytes);
        }
        model.write(bar, offset, widthBytes, value);
    }

    @Override
    public @Nullable MappableMemory memory(int bar) {
        return model.memory(bar);
    }

    @Override
    public void configWritten(int offset, int widthBytes) {
        model.configWritten(offset, widthBytes);
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
