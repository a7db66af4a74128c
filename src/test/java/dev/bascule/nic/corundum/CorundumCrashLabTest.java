package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.Registers;
import dev.bascule.lab.Lab;
import dev.bascule.lab.LabCli;
import dev.bascule.pci.PciAddress;
import dev.bascule.vfio.VfioDevice;
import dev.bascule.vfio.VfioOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A driver that sleeps for interrupts is killed, and another one polls the same card, whose queues no reset clears; and what
 * users see of a card that has no link yet. In the machine of {@link CorundumLabTest}.
 */
@Tag("lab")
@Timeout(120)
class CorundumCrashLabTest {
    private static final int FRAMES = 32;

    private PciAddress address = PciAddress.parse("0000:00:00.0");

    @BeforeEach
    void find() {
        Assumptions.assumeFalse(Lab.devices(VENDOR_ID, DEVICE_ID).isEmpty(), "the lab's QEMU has no vfio-user-pci");
        address = Lab.bound(VENDOR_ID, DEVICE_ID, 0);
    }

    @Test
    void afterAKillInInterruptModeAPollingDriverGetsNothingThatIsNotItsOwn() throws Exception {
        Process sleeper = LabCli.start("dev.bascule.nic.corundum.SleepingDriver", address.toString());
        assertThat(sleeper.inputReader().readLine()).as("both ports sleep, armed").isEqualTo("asleep");
        sleeper.destroyForcibly().waitFor(); // SIGKILL
        try (Rig rig = Rig.of(VfioDevice.open(address, VfioOptions.DEFAULT))) {
            CorundumAdapter card = CorundumAdapter.open(rig.backing());
            Registers bar = rig.backing().registers(0);
            InterfaceMap map = DeviceMap.read(bar, rig.backing().info()).interfaces().getFirst();
            assertThat(states(bar, map.eventQueues())).as("enabled or armed event queues").isEmpty();
            assertThat(states(bar, map.completionQueues())).as("enabled or armed completion queues").isEmpty();
            List<Integer> before = pointers(bar, map.eventQueues());
            CorundumNic left = card.openPort(0, CorundumDriverContract.SMALL);
            CorundumNic right = card.openPort(1, CorundumDriverContract.SMALL);
            left.start();
            right.start();
            Traffic traffic = new Traffic(rig);
            traffic.await(() -> left.link().up() && right.link().up(), "the links");
            byte[][] frames = new byte[FRAMES][];
            for (int i = 0; i < FRAMES; i++) {
                frames[i] = Traffic.udp(60 + i, i);
            }
            traffic.send(left.txQueue(0), frames);
            assertThat(traffic.receive(right.rxQueue(0), FRAMES)).containsExactly(frames);
            assertThat(pointers(bar, map.eventQueues())).as("no event was written").isEqualTo(before);
            assertThat(right.statistics()).containsEntry("rx_errors", 0L);
            card.close();
        }
    }

    private static List<Integer> states(Registers bar, QueueRange queues) {
        List<Integer> active = new ArrayList<>();
        for (int queue = 0; queue < queues.count(); queue++) {
            int status = bar.read32(queues.at(queue) + COMPLETION_QUEUE_STATUS);
            if ((status & (COMPLETION_QUEUE_STATUS_ENABLE | COMPLETION_QUEUE_STATUS_ARMED)) != 0) {
                active.add(queue);
            }
        }
        return active;
    }

    private static List<Integer> pointers(Registers bar, QueueRange queues) {
        List<Integer> all = new ArrayList<>();
        for (int queue = 0; queue < queues.count(); queue++) {
            all.add(bar.read32(queues.at(queue) + COMPLETION_QUEUE_POINTERS));
        }
        return all;
    }

    @Test
    void commandsWaitForTheLinkThatComesAWhileAfterTheReset() throws Exception {
        LabCli run = LabCli.call("echo", "--device", address.toString(), "--queues", "2", "--duration", "50ms",
                "--json");
        assertThat(run.status()).as(run.err() + run.out()).isZero();
    }
}
