package dev.bascule.doctor;

import dev.bascule.ffi.KernelText;
import dev.bascule.pci.IommuGroup;
import dev.bascule.pci.PciAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes that hold a device of the kernel's VFIO, as far as this user may see them. */
public final class Holders {
    private final Path sysfs;
    private final Path proc;

    /** Holders as these two trees tell, usually {@code /sys} and {@code /proc}. */
    public Holders(Path sysfs, Path proc) {
        this.sysfs = sysfs;
        this.proc = proc;
    }

    /** A process. */
    public record Holder(long pid, String name) {
        @Override
        public String toString() {
            return "process " + pid + " (" + name + ")";
        }
    }

    /** Those that have the group's node open, or the device's own. */
    public List<Holder> of(PciAddress address) {
        List<String> nodes = new ArrayList<>();
        IommuGroup.of(sysfs, address).ifPresent(group -> nodes.add("/dev/vfio/" + group.number()));
        Machine.names(sysfs.resolve("bus/pci/devices/" + address + "/vfio-dev"))
                .forEach(name -> nodes.add("/dev/vfio/devices/" + name));
        List<Holder> found = new ArrayList<>();
        for (String pid : Machine.names(proc)) {
            if (pid.matches("\\d+") && holds(proc.resolve(pid).resolve("fd"), nodes)) {
                found.add(new Holder(Long.parseLong(pid),
                        KernelText.shown(Machine.text(proc.resolve(pid).resolve("comm")))));
            }
        }
        return found;
    }

    private static boolean holds(Path descriptors, List<String> nodes) {
        for (String number : Machine.names(descriptors)) {
            try {
                if (nodes.contains(Files.readSymbolicLink(descriptors.resolve(number)).toString())) {
                    return true;
                }
            } catch (IOException e) {
                continue; // closed meanwhile, or another user's
            }
        }
        return false;
    }

    /** Says who is waited for while {@code work} takes longer than two seconds. */
    public void whileWaiting(PciAddress address, Runnable work) {
        Thread teller = Thread.ofPlatform().daemon().name("bascule-waiting").unstarted(() -> tell(address));
        teller.start();
        try {
            work.run();
        } finally {
            teller.interrupt();
        }
    }

    private void tell(PciAddress address) {
        try {
            Thread.sleep(2_000);
        } catch (InterruptedException e) {
            return;
        }
        List<Holder> holders = of(address);
        System.err.println("bascule: the kernel waits until " + address + " is given up"
                + (holders.isEmpty()
                        ? ", by whom this user cannot see; try: sudo fuser -v /dev/vfio/*"
                        : " by " + holders + ", which it has asked; to end it: kill " + holders.getFirst().pid()));
    }
}
