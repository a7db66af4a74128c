package dev.bascule.nic.corundum;

import dev.bascule.pci.PciAddress;
import dev.bascule.vfio.VfioDevice;
import dev.bascule.vfio.VfioOptions;

/** A driver that sleeps on all queues of two ports until somebody kills it. */
final class SleepingDriver {
    private SleepingDriver() {}

    public static void main(String[] arguments) throws Exception {
        CorundumAdapter card = CorundumAdapter
                .open(VfioDevice.open(PciAddress.parse(arguments[0]), VfioOptions.DEFAULT));
        CorundumOptions options = CorundumDriverContract.SMALL.withQueues(2, 1).withInterrupts();
        for (int port = 0; port < 2; port++) {
            CorundumNic nic = card.openPort(port, options);
            nic.start();
            for (int queue = 0; queue < 2; queue++) {
                nic.rxQueue(queue).await(1); // arms
            }
        }
        System.out.println("asleep");
        System.out.flush();
        Thread.sleep(Long.MAX_VALUE);
    }
}
