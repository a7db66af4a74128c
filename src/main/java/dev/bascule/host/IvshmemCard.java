package dev.bascule.host;

import dev.bascule.device.DeviceException;
import dev.bascule.device.Interrupt;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.nic.ivshmem.IvshmemDriver;
import dev.bascule.nic.smartnic.CardCores;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;

/** Either end of a region in the memory that ivshmem devices share; its BAR stands for both memories. */
final class IvshmemCard implements HostCard, CardCores {
    private final IvshmemDriver driver;

    IvshmemCard(IvshmemDriver driver) {
        this.driver = driver;
    }

    @Override
    public long sizeBytes() {
        return driver.sizeBytes();
    }

    @Override
    public Window window(MemoryType type) {
        return driver.window(type);
    }

    @Override
    public Window memory() {
        return driver.window(MemoryType.UC);
    }

    @Override
    public String objectionToOneWord(boolean push) {
        return "an ivshmem device has no AtomicOps, and its memory is mapped as a device's";
    }

    @Override
    public int vectors() {
        return driver.vectors();
    }

    @Override
    public Interrupt interrupt(int vector) {
        return driver.interrupt(vector, null);
    }

    /** To a peer's vectors; none beyond those it has. */
    @Override
    public Doorbell interrupt(long host) {
        Doorbell[] vectors = new Doorbell[driver.vectors()];
        for (int vector = 0; vector < vectors.length; vector++) {
            vectors[vector] = driver.doorbell((int) host, vector);
        }
        return cpu -> {
            if (cpu < vectors.length) {
                vectors[(int) cpu].ring(cpu);
            }
        };
    }

    @Override
    public Doorbell doorbell() {
        return Doorbell.NONE; // peers come and go; an agent looks
    }

    @Override
    public long self() {
        return driver.position();
    }

    @Override
    public boolean isHostMemoryInBar() {
        return true;
    }

    @Override
    public Iova offer(MappableMemory memory) {
        throw noDma();
    }

    @Override
    public void withdraw(Iova iova) {
        throw noDma();
    }

    @Override
    public Window hostMemory(Iova iova, long lengthBytes) {
        throw noDma();
    }

    private static DeviceException noDma() {
        return new DeviceException("reach host memory", "ivshmem device", "it does no DMA",
                "host memory lies in its BAR; start both ends with one version");
    }

    @Override
    public boolean awaitDoorbell(long timeoutNanos) {
        return Waiter.NAPS.await(timeoutNanos);
    }

    @Override
    public void close() {
        // the place closes the device
    }
}
