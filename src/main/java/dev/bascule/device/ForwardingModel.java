package dev.bascule.device;

import dev.bascule.pci.ConfigSpace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A device model in front of another one: passes every call on, for models that watch, count or add to what a device does.
 * <p>
 * Thread rule: that of the model behind it.
 */
public abstract class ForwardingModel implements DeviceModel {
    private final DeviceModel model;

    /** In front of {@code model}, which is closed with this one. */
    protected ForwardingModel(DeviceModel model) {
        this.model = model;
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
        return model.read(bar, offset, widthBytes);
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
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
