package dev.bascule.bench;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.IommuFault;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the cards of benchmarks have in common: no interrupts, no faults, nothing to close, an address space of its own. */
abstract class BenchCard implements DeviceBacking, AddressSpace {
    @Override
    public AddressSpace addressSpace() {
        return this;
    }

    @Override
    public long pageBytes() {
        return 4096;
    }

    @Override
    public long faultCount() {
        return 0;
    }

    @Override
    public List<IommuFault> recentFaults() {
        return List.of();
    }

    @Override
    public void setBusMaster(boolean enabled) {}

    @Override
    public int interruptCount(InterruptKind kind) {
        return 0;
    }

    @Override
    public Interrupt openInterrupt(InterruptKind kind, int vector, @Nullable Runnable handler) {
        throw new UnsupportedOperationException("a card of a benchmark has no interrupts");
    }

    @Override
    public void reset() {}

    @Override
    public void close() {}
}
