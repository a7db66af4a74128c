package dev.bascule.pci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Trees of files that stand for sysfs and proc, and a kernel that reacts to what is written to them. */
final class FakeSysfs {
    final Path sys;
    final Path proc;
    final List<String> written = new ArrayList<>();
    private final Map<String, String> favourites = new HashMap<>();

    FakeSysfs(Path root) throws IOException {
        sys = Files.createDirectories(root.resolve("sys"));
        proc = Files.createDirectories(root.resolve("proc"));
        Files.createDirectories(sys.resolve("bus/pci/devices"));
        Files.createDirectories(sys.resolve("bus/pci/drivers"));
        Files.writeString(sys.resolve("bus/pci/drivers_probe"), "");
    }

    FakeSysfs driver(String name) throws IOException {
        Files.createDirectories(sys.resolve("bus/pci/drivers/" + name));
        return this;
    }

    /** A function; {@code driver} also is what the kernel would choose; empty for none. */
    Path device(String address, String classCode, String driver, int group) throws IOException {
        Path folder = Files.createDirectories(sys.resolve("devices/pci0000:00/" + address));
        Files.writeString(folder.resolve("vendor"), "0x1234\n");
        Files.writeString(folder.resolve("device"), "0x11e8\n");
        Files.writeString(folder.resolve("class"), classCode + "\n");
        Files.writeString(folder.resolve("driver_override"), "(null)\n");
        Files.createSymbolicLink(sys.resolve("bus/pci/devices/" + address), folder);
        if (group >= 0) {
            Path groups = Files.createDirectories(sys.resolve("kernel/iommu_groups/" + group));
            Files.createSymbolicLink(folder.resolve("iommu_group"), groups);
        }
        favourites.put(address, driver);
        link(address, driver);
        return folder;
    }

    void link(String address, String driver) throws IOException {
        Path link = sys.resolve("devices/pci0000:00/" + address + "/driver");
        Files.deleteIfExists(link);
        if (!driver.isEmpty()) {
            driver(driver);
            Files.createSymbolicLink(link, sys.resolve("bus/pci/drivers/" + driver));
        }
    }

    /** Does what the kernel does. */
    void write(Path file, String value) throws IOException {
        written.add(sys.relativize(file) + " <- " + value.strip());
        String name = String.valueOf(file.getFileName());
        if (name.equals("unbind")) {
            link(value, "");
        } else if (name.equals("drivers_probe")) {
            String override = Files.readString(sys.resolve("bus/pci/devices/" + value + "/driver_override")).strip();
            boolean free = !Files.exists(sys.resolve("bus/pci/devices/" + value + "/driver"));
            if (free) {
                link(value, override.isEmpty() || override.equals("(null)") ? favourites.get(value) : override);
            }
        } else {
            Files.writeString(file, value);
        }
    }

    DriverBinding binding() {
        return new DriverBinding(sys, proc, this::write);
    }
}
