package dev.bascule.study.enso;

import dev.bascule.device.DeviceModel;
import dev.bascule.device.ForwardingModel;
import org.jspecify.annotations.Nullable;

/** A model whose register accesses are counted on their way. */
final class CountingModel extends ForwardingModel {
    private @Nullable PcieCount count;

    CountingModel(DeviceModel model) {
        super(model);
    }

    void count(@Nullable PcieCount into) {
        count = into;
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        if (count != null) {
            count.registerLoad(widthBytes);
        }
        return super.read(bar, offset, widthBytes);
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        if (count != null) {
            count.registerStore(widthBytes);
        }
        super.write(bar, offset, widthBytes, value);
    }
}
