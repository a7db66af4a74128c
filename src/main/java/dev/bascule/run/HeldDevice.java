package dev.bascule.run;

import dev.bascule.device.DeviceBacking;
import dev.bascule.host.CardPlace;
import dev.bascule.pci.PciAddress;
import dev.bascule.vfio.VfioDevice;
import dev.bascule.vfio.VfioNotice;
import dev.bascule.vfio.VfioOptions;
import dev.bascule.vfiouser.VfioUserDevice;
import dev.bascule.vfiouser.VfioUserOptions;
import java.nio.file.Path;
import java.util.Set;

/**
 * A device of the kernel's VFIO that a command holds. When the kernel wants it back, or the device reports an error, the
 * command says so and ends as by Ctrl-C, with status 1: whoever unbinds or removes it waits for that.
 */
public final class HeldDevice {
    /** For regions in a card: by PCI address or socket. */
    public static final CardPlace.Opener OPENER = new Regions();

    private HeldDevice() {}

    /** Opens it and watches. */
    public static VfioDevice open(PciAddress address, VfioOptions options) {
        VfioDevice device = VfioDevice.open(address, options);
        device.onNotice(notice -> end(address, notice));
        return device;
    }

    private static final class Regions implements CardPlace.Opener {
        @Override
        public DeviceBacking open(String device, Set<Integer> writeCombining) {
            return open(device, writeCombining, VfioUserOptions.DEFAULT.timeoutNanos());
        }

        @Override
        public DeviceBacking open(String device, Set<Integer> writeCombining, long silenceNanos) {
            if (device.contains("/")) {
                return VfioUserDevice.open(Path.of(device), VfioUserOptions.DEFAULT.withTimeoutNanos(silenceNanos));
            }
            DeviceName name = DeviceName.parse(device);
            return HeldDevice.open(name.address(),
                    VfioOptions.DEFAULT.withWriteCombining(writeCombining).withToken(name.token()));
        }
    }

    static String words(PciAddress address, VfioNotice notice) {
        return switch (notice) {
            case GIVE_BACK -> "the kernel asks for " + address + " back (unbind or removal); giving it up";
            case ERROR -> address + " has reported an uncorrectable PCIe error (AER); giving it up. What: dmesg | grep "
                    + address;
        };
    }

    private static void end(PciAddress address, VfioNotice notice) {
        System.err.println("bascule: " + words(address, notice));
        // a hook that waits for the command to end must not wait on the thread that closing the device waits for
        Thread.ofPlatform().daemon().name("bascule-give-back").start(() -> System.exit(Errors.FAILED));
    }
}
