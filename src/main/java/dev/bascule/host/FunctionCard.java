package dev.bascule.host;

import dev.bascule.device.Interrupt;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.nic.smartnic.SmartNicDriver;
import dev.bascule.ring.Doorbell;

/** The host's end on a SmartNIC's PCI function. */
record FunctionCard(SmartNicDriver driver) implements HostCard {
    @Override
    public long sizeBytes() {
        return driver.sizeBytes();
    }

    @Override
    public Window window(MemoryType type) {
        return driver.window(type);
    }

    @Override
    public int vectors() {
        return driver.vectors();
    }

    @Override
    public Interrupt interrupt(int vector) {
        return driver.interrupt(vector);
    }

    @Override
    public Doorbell doorbell() {
        return driver.doorbell();
    }

    @Override
    public long self() {
        return 0;
    }

    @Override
    public boolean isHostMemoryInBar() {
        return driver.isHostMemoryInBar();
    }

    @Override
    public Iova offer(MappableMemory memory) {
        return driver.offer(memory);
    }

    @Override
    public void withdraw(Iova iova) {
        driver.withdraw(iova);
    }
}
