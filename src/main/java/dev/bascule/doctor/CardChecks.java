package dev.bascule.doctor;

import dev.bascule.pci.DriverBinding;
import dev.bascule.pci.PciDevice;
import dev.bascule.report.Numbers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Checks of a card that the machine lists: what in the firmware or the link keeps it from working, or from working
 * well.
 */
public final class CardChecks {
    private final Machine machine;

    CardChecks(Machine machine) {
        this.machine = machine;
    }

    /** Findings about one known device; none where all is well. */
    List<Finding> findings(PciDevice device) {
        Path folder = machine.sys().resolve("bus/pci/devices/" + device.address());
        List<Finding> found = new ArrayList<>(withoutAddress(device));
        linkStates(device, folder, found);
        speed(device, folder, found);
        sleep(device, found);
        return found;
    }

    /** BARs of any device that the firmware found no room for: they have flags and a size, and no address. */
    List<Finding> withoutAddress(PciDevice device) {
        List<Finding> found = new ArrayList<>();
        String[] lines = Machine.text(machine.sys().resolve("bus/pci/devices/" + device.address() + "/resource"))
                .split("\n", -1);
        for (PciDevice.BarRange bar : device.bars()) {
            boolean without = bar.index() < lines.length && lines[bar.index()].strip().matches("0x0+ .*");
            if (without && bar.memory()) {
                found.add(Finding.optional("device " + device.address() + " BAR " + bar.index(),
                        "its " + Numbers.bytes(bar.sizeBytes()) + " have no address",
                        "switch 'Above 4G Decoding' on in the firmware's set-up; if it is, boot with pci=realloc"));
            }
        }
        return found;
    }

    /** ASPM: the link sleeps between packets. */
    private void linkStates(PciDevice device, Path folder, List<Finding> found) {
        for (String state : List.of("l0s_aspm", "l1_aspm")) {
            Path file = folder.resolve("link").resolve(state);
            if (Machine.text(file).equals("1")) {
                found.add(Finding.optional("device " + device.address() + " ASPM",
                        state.substring(0, state.indexOf('_')).toUpperCase(Locale.ROOT)
                                + " is on: the link sleeps between packets, which costs microseconds",
                        machine.write("0", "/sys/bus/pci/devices/" + device.address() + "/link/" + state)
                                + ", or boot with pcie_aspm=off"));
            }
        }
    }

    private static void speed(PciDevice device, Path folder, List<Finding> found) {
        long width = Machine.number(folder.resolve("current_link_width"));
        long widest = Machine.number(folder.resolve("max_link_width"));
        String speed = Machine.text(folder.resolve("current_link_speed"));
        String fastest = Machine.text(folder.resolve("max_link_speed"));
        if (width > 0 && widest > 0 && (width < widest || !speed.equals(fastest))) {
            found.add(Finding.optional("device " + device.address() + " link",
                    speed + " x" + width + ", and it could be " + fastest + " x" + widest,
                    "use a slot with all lanes; after the FPGA was loaded: remove the device and rescan the bus"));
        }
    }

    /** An FPGA that is put to sleep while nobody has it open may not come back. */
    private void sleep(PciDevice device, List<Finding> found) {
        Path idle = machine.sys().resolve("module/vfio_pci/parameters/disable_idle_d3");
        if (DriverBinding.VFIO.equals(device.driver()) && Machine.text(idle).equals("N")) {
            found.add(Finding.optional("device " + device.address() + " sleep",
                    "vfio-pci puts it into D3 while nobody has it open; FPGA cards may not come back",
                    "echo options vfio-pci disable_idle_d3=1 | " + machine.sudo()
                            + "tee /etc/modprobe.d/bascule.conf, and load vfio-pci anew"));
        }
    }
}
