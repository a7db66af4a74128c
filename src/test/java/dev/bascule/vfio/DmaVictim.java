package dev.bascule.vfio;

import dev.bascule.device.DmaDirection;
import dev.bascule.device.MappableMemory;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.nic.edu.EduDriver;
import dev.bascule.pci.PciAddress;

/** A process of its own that a test mistreats: has DMA in flight until it is killed, or asks for too much memory. */
public final class DmaVictim {
    private DmaVictim() {}

    /** {@code dma ADDRESS} or {@code map ADDRESS MIB}. */
    public static void main(String[] arguments) throws InterruptedException {
        VfioDevice device = VfioDevice.open(PciAddress.parse(arguments[1]), VfioOptions.DEFAULT);
        if (arguments[0].equals("dma")) {
            EduDriver driver = EduDriver.open(device, 20_000_000_000L);
            System.out.println("started");
            System.out.flush();
            while (true) {
                driver.startTransfer(driver.bufferIova(), 0, EduDriver.MAX_TRANSFER_BYTES, true);
                Thread.sleep(20);
            }
        }
        long mib = Long.parseLong(arguments[2]);
        try (device; DmaBuffer buffer = DmaBuffer.allocate("victim", mib << 20, DmaBuffer.Locking.PREFERRED)) {
            device.addressSpace().map(MappableMemory.local(buffer.segment()), DmaDirection.BOTH);
            System.out.println("mapped " + mib + " MiB");
        } catch (dev.bascule.device.DeviceException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }
}
