package dev.bascule.loopback;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.HostedInterrupts;
import dev.bascule.device.MappableMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decodes an access to a BAR: MSI-X table and pending bits, plain memory, or the model's registers. */
final class BarAccess {
    private final DeviceModel model;
    private final HostedInterrupts<?> interrupts;

    BarAccess(DeviceModel model, HostedInterrupts<?> interrupts) {
        this.model = model;
        this.interrupts = interrupts;
    }

    long read(int bar, long offset, int widthBytes) {
        if (interrupts.covers(bar, offset)) {
            return interrupts.readTable(bar, offset, widthBytes);
        }
        MemorySegment memory = memory(bar, offset, widthBytes);
        if (memory == null) {
            return model.read(bar, offset, widthBytes);
        }
        long value = 0;
        for (int i = widthBytes - 1; i >= 0; i--) {
            value = value << 8 | memory.get(ValueLayout.JAVA_BYTE, offset + i) & 0xff;
        }
        return value;
    }

    void write(int bar, long offset, int widthBytes, long value) {
        if (interrupts.covers(bar, offset)) {
            interrupts.writeTable(bar, offset, widthBytes, value);
            return;
        }
        MemorySegment memory = memory(bar, offset, widthBytes);
        if (memory == null) {
            model.write(bar, offset, widthBytes, value);
            return;
        }
        for (int i = 0; i < widthBytes; i++) {
            memory.set(ValueLayout.JAVA_BYTE, offset + i, (byte) (value >>> 8 * i));
        }
    }

    private @Nullable MemorySegment memory(int index, long offset, int widthBytes) {
        List<Bar> bars = model.bars();
        for (int i = 0; i < bars.size(); i++) { // an iterator would be an object for each access
            Bar bar = bars.get(i);
            if (bar.index() == index && bar.isMappable(offset, widthBytes)) {
                MappableMemory memory = model.memory(index);
                return memory == null ? null : memory.segment();
            }
        }
        return null;
    }
}
