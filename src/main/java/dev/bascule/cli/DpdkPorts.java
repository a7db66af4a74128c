package dev.bascule.cli;

import dev.bascule.ffi.Affinity;
import dev.bascule.memory.Hugepages;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.dpdk.DpdkEal;
import dev.bascule.run.CpuSet;
import dev.bascule.run.DeviceName;
import dev.bascule.run.Misuse;
import java.util.ArrayList;
import java.util.List;

/** Ports of DPDK as a user names them: PCI addresses, or names of its virtual devices. */
final class DpdkPorts {
    static final String PREFIX = "dpdk:";
    /** Without hugepages DPDK takes all its memory at once; with them it takes more as it needs it. */
    private static final int MEGABYTES = 256;
    /** Hugepages with which a port can begin. */
    private static final long PAGES = 12;

    private DpdkPorts() {}

    /** Starts DPDK for these ports alone, beside other processes that use DPDK. */
    static NicAdapter open(String device) {
        List<String> names = names(device.substring(PREFIX.length()));
        DpdkEal eal = DpdkEal.start(arguments(names, hasHugepages()));
        try {
            return eal.card(names.stream().map(DpdkPorts::port).toList());
        } catch (RuntimeException e) {
            eal.close();
            throw e;
        }
    }

    /** The ports in a list in which a virtual device's arguments, {@code key=value}, follow its name. */
    static List<String> names(String list) {
        return List.of(list.split(",(?![^,=]*=)"));
    }

    private static boolean hasHugepages() {
        return Hugepages.free(Hugepages.SIZE_2M) >= PAGES;
    }

    static List<String> arguments(List<String> names, boolean hugepages) {
        List<String> words = new ArrayList<>(List.of("--no-telemetry", "--log-level", "lib.eal:warning", "--lcores",
                "0@(" + CpuSet.text(Affinity.current()) + ")"));
        words.addAll(hugepages
                ? List.of("--in-memory")
                : List.of("--no-huge", "-m", Integer.toString(MEGABYTES), "--no-shconf"));
        boolean pci = false;
        for (String name : names) {
            if (name.isBlank()) {
                throw new Misuse("--device " + PREFIX + String.join(",", names) + ": name ports, such as " + PREFIX
                        + "0000:65:00.0,0000:65:00.1");
            }
            pci |= CardOption.isAddress(name);
            words.addAll(CardOption.isAddress(name)
                    ? List.of("-a", DeviceName.address(name).toString())
                    : List.of("--vdev=" + name));
        }
        if (!pci) {
            words.add("--no-pci");
        }
        return words;
    }

    /** Name of a port in DPDK: of a virtual device, the name without its arguments. */
    private static String port(String name) {
        return CardOption.isAddress(name) ? DeviceName.address(name).toString() : name.replaceFirst(",.*", "");
    }
}
