package dev.bascule.pci;

import dev.bascule.ffi.KernelText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds what a PCI function is used for, so that the machine's disk or network is not taken away by mistake. */
final class DeviceUse {
    private static final int DEPTH = 8; // a disk behind a controller, a port, a target
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private DeviceUse() {}

    /**
     * Why the function should stay with its driver: interfaces with an address or route, file systems, swap and volumes
     * on disks behind it. Empty when nothing is known to depend on it.
     *
     * @param sysfs usually {@code /sys}
     * @param proc usually {@code /proc}
     */
    public static List<String> reasons(Path sysfs, Path proc, PciAddress address) {
        Path device = sysfs.resolve("bus/pci/devices/" + address);
        List<String> reasons = new ArrayList<>();
        Set<String> routed = routedInterfaces(proc);
        for (String name : below(device, "net")) {
            if (routed.contains(name)) {
                reasons.add("network interface " + name + " has a route");
            } else if (isUp(sysfs.resolve("class/net/" + name + "/flags"))) {
                reasons.add("network interface " + name + " is up");
            }
        }
        Set<String> mounted = mountedNumbers(proc);
        for (String name : below(device, "block")) {
            reasons.addAll(disk(sysfs.resolve("class/block/" + name), name, mounted, proc));
        }
        return reasons;
    }

    private static List<String> disk(Path disk, String name, Set<String> mounted, Path proc) {
        List<String> reasons = new ArrayList<>();
        List<Path> parts = new ArrayList<>(List.of(disk));
        parts.addAll(list(disk).stream().filter(entry -> Files.exists(entry.resolve("partition"))).toList());
        for (Path part : parts) {
            String own = part.equals(disk) ? name : name(part);
            if (mounted.contains(text(part.resolve("dev")))) {
                reasons.add("disk " + own + " is mounted");
            }
            if (text(proc.resolve("swaps")).contains("/dev/" + own + " ")) {
                reasons.add("disk " + own + " holds swap");
            }
            if (!list(part.resolve("holders")).isEmpty()) {
                reasons.add("disk " + own + " is part of volume " + name(list(part.resolve("holders")).get(0)));
            }
        }
        return reasons;
    }

    /** Names of the entries of all folders {@code kind} below a device. */
    private static List<String> below(Path device, String kind) {
        List<String> names = new ArrayList<>();
        Path real;
        try {
            real = device.toRealPath();
        } catch (IOException e) {
            return names;
        }
        try (Stream<Path> tree = Files.walk(real, DEPTH)) {
            tree.filter(folder -> name(folder).equals(kind) && Files.isDirectory(folder))
                    .forEach(folder -> list(folder).forEach(entry -> names.add(name(entry))));
        } catch (IOException | java.io.UncheckedIOException e) {
            return names; // gone while looked at
        }
        return names;
    }

    private static Set<String> routedInterfaces(Path proc) {
        Set<String> names = new HashSet<>();
        KernelText.lines(text(proc.resolve("net/route"))).stream().skip(1)
                .forEach(line -> names.add(BLANKS.split(line, 2)[0]));
        KernelText.lines(text(proc.resolve("net/ipv6_route")))
                .forEach(line -> names.add(line.substring(line.lastIndexOf(' ') + 1).strip()));
        names.remove("lo");
        return names;
    }

    private static boolean isUp(Path flags) {
        try {
            return (Integer.decode(text(flags)) & 1) != 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** MAJOR:MINOR of what is mounted: third word of each line. */
    private static Set<String> mountedNumbers(Path proc) {
        Set<String> numbers = new HashSet<>();
        for (String line : KernelText.lines(text(proc.resolve("self/mountinfo")))) {
            String[] words = BLANKS.split(line.strip(), 4);
            if (words.length > 2) {
                numbers.add(words[2]);
            }
        }
        return numbers;
    }

    private static List<Path> list(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static String text(Path file) {
        try {
            return KernelText.read(file).strip();
        } catch (IOException e) {
            return "";
        }
    }

    private static String name(Path path) {
        return String.valueOf(path.getFileName());
    }
}
