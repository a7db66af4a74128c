package dev.bascule.nic.virtio;

import static dev.bascule.nic.virtio.VirtioRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.RingCard;
import java.util.Optional;

/**
 * A virtio network card, modern form, one queue in each direction, without offloads. The card checks none of the addresses
 * it is given, so run it behind an IOMMU.
 */
final class VirtioCard implements RingCard {
    private static final int RING_ENTRIES = 256;

    private final String name;
    private final VirtioPci device;
    private final VirtQueue receiving;
    private final VirtQueue sending;
    private long features;

    /** Takes the card over, stopped. */
    VirtioCard(DeviceBacking backing) {
        name = backing.info().toString();
        device = new VirtioPci(backing);
        device.reset();
        receiving = queue(backing, "virtio rx", 0);
        sending = queue(backing, "virtio tx", 1);
    }

    private VirtQueue queue(DeviceBacking backing, String ring, int number) {
        return new VirtQueue(ring, backing.addressSpace(), device, number,
                Math.min(RING_ENTRIES, device.queueSize(number)));
    }

    @Override
    public VirtQueue ring(boolean sends) {
        return sends ? sending : receiving;
    }

    @Override
    public int longestFrame() {
        return 1518; // with a VLAN tag, as NicOptions promises
    }

    @Override
    public int headerBytes() {
        return HEADER_BYTES;
    }

    @Override
    public void start(boolean interrupts) {
        device.reset();
        device.addStatus(ACKNOWLEDGE);
        device.addStatus(DRIVER);
        features = device.negotiate(MAC | LINK_STATUS | ACCESS_PLATFORM, VERSION_1);
        device.set(CONFIG_VECTOR, 2, NO_VECTOR);
        receiving.start(interrupts ? 0 : NO_VECTOR);
        sending.start(NO_VECTOR);
        device.addStatus(DRIVER_OK);
    }

    @Override
    public void stop() {
        device.reset();
    }

    @Override
    public boolean isLinkUp() {
        return (features & LINK_STATUS) == 0 || (device.device(NET_STATUS, 2) & 1) != 0;
    }

    @Override
    public Optional<MacAddress> macAddress() {
        long address = 0;
        for (int i = 0; i < 6 && (features & MAC) != 0; i++) {
            address = address << 8 | device.device(NET_MAC + i, 1);
        }
        return address == 0 ? Optional.empty() : Optional.of(new MacAddress(address));
    }

    @Override
    public void check() {
        int status = device.status();
        if (status == 0xff) {
            throw new DeviceRemovedException("look at the card", name);
        }
        if ((status & NEEDS_RESET) != 0) {
            throw new DeviceException("look at the card", name, "it says that it is in a state it cannot leave",
                    "stop and start it");
        }
    }
}
