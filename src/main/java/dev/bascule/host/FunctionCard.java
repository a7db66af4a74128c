package dev.bascule.host;

import dev.bascule.device.Interrupt;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.nic.smartnic.SmartNicDriver;
import dev.bascule.pci.AtomicOpsPath;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.ring.Doorbell;
import java.util.function.Function;

/**
 * The host's end on a SmartNIC's PCI function.
 *
 * @param atomics says by the function's config space which AtomicOps are possible
 */
record FunctionCard(SmartNicDriver driver, Function<ConfigSpace, AtomicOpsPath> atomics) implements HostCard {
    @Override
    public String objectionToOneWord(boolean push) {
        AtomicOpsPath path = atomics.apply(driver.config());
        if (!push) {
            return path.toDevice();
        }
        if (driver.isHostMemoryInBar()) {
            return "host memory lies in the card's BAR (region.hostMemory of its configuration), not behind the link";
        }
        if (!path.toHost().isEmpty()) {
            return path.toHost();
        }
        return driver.letSendAtomics() ? "" : "its AtomicOp Requester Enable bit stays off";
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
