package dev.bascule.device;

import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A device with one BAR that does nothing by itself: a stress test writes in its place, through its port. */
public final class BareModel implements DeviceModel {
    private final Bar bar;
    private final @Nullable MappableMemory memory;
    private volatile @Nullable DevicePort port;

    /** {@code memory} is what a mappable BAR shows. */
    public BareModel(Bar bar, @Nullable MappableMemory memory) {
        this.bar = bar;
        this.memory = memory;
    }

    /** Its way to host memory, once it is plugged in. */
    public DmaAccess dma() {
        return java.util.Objects.requireNonNull(port).dma();
    }

    @Override
    public String name() {
        return "bare";
    }

    @Override
    public List<Bar> bars() {
        return List.of(bar);
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return new ConfigSpaceBuilder(0x1234, 1, 0x020000, 0).memoryBar(bar.index(), bar.sizeBytes(), true, true)
                .express().build();
    }

    @Override
    public void connect(DevicePort devicePort) {
        port = devicePort;
    }

    @Override
    public long read(int index, long offset, int widthBytes) {
        return 0;
    }

    @Override
    public void write(int index, long offset, int widthBytes, long value) {}

    @Override
    public @Nullable MappableMemory memory(int index) {
        return memory;
    }

    @Override
    public void reset() {}
}
