package dev.bascule.model.smartnic;

import dev.bascule.loopback.FaultPlan;
import dev.bascule.memory.Window;
import java.nio.file.Path;

/** The NIC's side as a process of its own: answers every doorbell with the word it found, plus one, and an interrupt. */
final class NicProcess {
    private NicProcess() {}

    public static void main(String[] args) {
        try (SmartNicRegion region = SmartNicRegion.attach(Path.of(args[0]), FaultPlan.NONE, 7)) {
            Window memory = region.nic().memory();
            Window dma = region.nic().hostMemory();
            SignalReceiver doorbell = region.nic().doorbell(0);
            SignalSender interrupt = region.nic().interrupt(0);
            interrupt.ring(0); // ready
            long value = 0;
            while (value >= 0) {
                if (doorbell.await(60_000_000_000L) == 0) {
                    System.exit(3); // the host is gone
                }
                value = memory.loadAcquire(0);
                memory.storeRelease(64, value + 1);
                memory.writeFence();
                dma.storeRelease(0, value + 2);
                dma.writeFence();
                interrupt.ring(value);
            }
        }
    }
}
