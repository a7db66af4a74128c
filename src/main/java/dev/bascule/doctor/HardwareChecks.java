package dev.bascule.doctor;

import dev.bascule.nic.dpdk.DpdkEal;
import dev.bascule.ffi.CacheControl;
import dev.bascule.ffi.KernelText;
import dev.bascule.pci.DriverBinding;
import dev.bascule.pci.IommuGroup;
import dev.bascule.pci.PciDevice;
import dev.bascule.pci.PciDevices;
import dev.bascule.vfio.VfioNodes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks for what real devices, and the tools around them, need. A loopback device needs none of it. */
public final class HardwareChecks {
    private static final long MIB = 1 << 20;
    /** Rings and buffers of one device. */
    private static final long LOCKED_MIB = 64;
    private static final int CAP_IPC_LOCK = 14;

    /** Class of network controllers, by the PCI Code and ID Assignment Specification. */
    private static final int NETWORK = 2;

    private final Machine machine;

    /** Checks of a machine. */
    public HardwareChecks(Machine machine) {
        this.machine = machine;
    }

    /** Findings, in the order in which they are shown. */
    public List<Finding> findings() {
        List<Finding> all = new ArrayList<>();
        all.add(hugepages("2 MiB", 2048, 64));
        all.add(hugepages("1 GiB", 1 << 20, 1));
        all.add(lockedMemory());
        all.add(iommu());
        all.add(vfioModule());
        all.add(vfioNode());
        all.add(groupNodes());
        all.add(iommufd());
        all.add(safety());
        all.addAll(knownDevices());
        all.add(compiler());
        all.add(cacheControl());
        all.add(jextract());
        all.add(dpdk());
        return all;
    }

    private Finding hugepages(String size, long kib, int wanted) {
        String name = "hugepages " + size;
        String folder = "kernel/mm/hugepages/hugepages-" + kib + "kB";
        Path pages = machine.sys().resolve(folder);
        long all = Machine.number(pages.resolve("nr_hugepages"));
        long free = Machine.number(pages.resolve("free_hugepages"));
        if (all < 0) {
            return Finding.optional(name, "this kernel or CPU has none",
                    "grep -o -w -m1 -E 'pse|pdpe1gb' /proc/cpuinfo");
        }
        return all > 0 && free > 0
                ? Finding.ok(name, free + " free of " + all)
                : Finding.optional(name, all == 0 ? "none reserved" : "none free of " + all,
                        machine.write(Long.toString(all + wanted), "/sys/" + folder + "/nr_hugepages"));
    }

    private Finding lockedMemory() {
        String[] limits = Machine.line(machine.proc().resolve("self/limits"), "Max locked memory").split("\\s+");
        String need = ", a device needs " + LOCKED_MIB + " MiB";
        String fix = "ulimit -l " + LOCKED_MIB * 1024 + " (or for good: echo \"$USER - memlock unlimited\" | "
                + machine.sudo() + "tee -a /etc/security/limits.conf, and log in again)";
        if (hasCapability(CAP_IPC_LOCK)) {
            return Finding.ok("locked memory", "no limit (CAP_IPC_LOCK)");
        }
        if (limits[0].equals("unlimited")) {
            return Finding.ok("locked memory", "unlimited");
        }
        if (!limits[0].matches("\\d{1,18}")) {
            return Finding.optional("locked memory", "limit unknown" + need, fix);
        }
        long mib = Long.parseLong(limits[0]) / MIB;
        return mib >= LOCKED_MIB
                ? Finding.ok("locked memory", "limit " + mib + " MiB" + need)
                : Finding.optional("locked memory", "limit " + mib + " MiB" + need, fix);
    }

    private boolean hasCapability(int number) {
        String effective = Machine.line(machine.proc().resolve("self/status"), "CapEff:");
        return effective.matches("[0-9a-f]{1,16}") && (Long.parseUnsignedLong(effective, 16) >>> number & 1) != 0;
    }

    private Finding iommu() {
        int groups = Machine.names(machine.sys().resolve("kernel/iommu_groups")).size();
        if (groups > 0) {
            return Finding.ok("IOMMU", groups + " groups");
        }
        String processor = Machine.text(machine.proc().resolve("cpuinfo"));
        boolean amd = processor.contains("AuthenticAMD"); // its driver is on unless a kernel is told otherwise
        String kernel = machine.sudo() + "sed -i 's/^GRUB_CMDLINE_LINUX=\"/&" + (amd ? "" : "intel_iommu=on ")
                + "iommu=pt /' /etc/default/grub && " + machine.sudo() + "update-grub && " + machine.sudo() + "reboot";
        Path tables = machine.sys().resolve("firmware/acpi/tables");
        if (Files.exists(tables.resolve("DMAR")) || Files.exists(tables.resolve("IVRS"))) {
            return Finding.optional("IOMMU", "no groups; the firmware has one, and the kernel does not use it", kernel);
        }
        return processor.matches("(?s).*\\bhypervisor\\b.*")
                ? Finding.optional("IOMMU",
                        "no groups; a virtual machine, whose hypervisor offers none (QEMU: -device intel-iommu)",
                        "a virtual machine of your own that has one: scripts/lab scripts/bascule devices")
                : Finding.optional("IOMMU", "no groups; " + (amd ? "AMD-Vi" : "VT-d") + " is off",
                        "switch it on in the firmware's set-up" + (amd ? "" : ", then: " + kernel));
    }

    private Finding vfioModule() {
        boolean driver = Files.isDirectory(machine.sys().resolve("bus/pci/drivers/vfio-pci"));
        boolean module = Files.isDirectory(machine.sys().resolve("module/vfio_pci"));
        return driver || module
                ? Finding.ok("vfio-pci module", driver ? "driver registered" : "loaded")
                : Finding.optional("vfio-pci module", "not loaded", machine.sudo() + "modprobe vfio-pci");
    }

    private Finding vfioNode() {
        Path node = machine.dev().resolve("vfio/vfio");
        if (!Files.exists(node)) {
            return Files.exists(machine.dev().resolve("vfio/devices"))
                    ? Finding.ok("/dev/vfio/vfio", "not in this kernel; devices have nodes of their own")
                    : Finding.optional("/dev/vfio/vfio", "absent", machine.sudo() + "modprobe vfio-pci");
        }
        return VfioNodes.isOpen(node)
                ? Finding.ok("/dev/vfio/vfio", "readable and writable")
                : Finding.optional("/dev/vfio/vfio", "not readable and writable",
                        machine.sudo() + "chmod 0666 " + node);
    }

    private Finding groupNodes() {
        Path folder = machine.dev().resolve("vfio");
        List<String> groups = Machine.names(folder).stream().filter(name -> name.matches("(noiommu-)?\\d+")).toList();
        List<String> devices = Machine.names(folder.resolve("devices"));
        if (groups.isEmpty() && !devices.isEmpty()) {
            return Finding.ok("VFIO groups", "none; device nodes: " + String.join(", ", devices));
        }
        if (groups.isEmpty()) {
            return Finding.optional("VFIO groups", "no device is bound to vfio-pci",
                    machine.sudo() + "scripts/bascule bind ADDRESS (addresses: scripts/bascule devices)");
        }
        List<String> closed = groups.stream().filter(name -> !VfioNodes.isOpen(folder.resolve(name))).toList();
        return closed.isEmpty()
                ? Finding.ok("VFIO groups", String.join(", ", groups))
                : Finding.optional("VFIO groups", "no access to " + String.join(", ", closed),
                        machine.sudo() + "chown $USER " + folder + "/" + closed.get(0));
    }

    private Finding iommufd() {
        return Files.exists(machine.dev().resolve("iommu"))
                ? Finding.ok("iommufd", machine.dev().resolve("iommu") + " is there")
                : Finding.optional("iommufd", "not in this kernel; the group interface is used instead",
                        "boot a kernel with CONFIG_IOMMUFD and CONFIG_VFIO_DEVICE_CDEV");
    }

    private Finding safety() {
        Path parameters = machine.sys().resolve("module");
        if (Machine.text(parameters.resolve("vfio/parameters/enable_unsafe_noiommu_mode")).equals("Y")) {
            return Finding.optional("DMA isolation", "no-IOMMU mode is allowed: a device can write to any memory",
                    machine.write("N", "/sys/module/vfio/parameters/enable_unsafe_noiommu_mode"));
        }
        if (Machine.text(parameters.resolve("vfio_iommu_type1/parameters/allow_unsafe_interrupts")).equals("Y")) {
            return Finding.optional("DMA isolation", "unsafe interrupts are allowed: a device can forge any",
                    machine.write("N", "/sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts"));
        }
        return Finding.ok("DMA isolation", "nothing unsafe is switched on");
    }

    private List<Finding> knownDevices() {
        List<Finding> found = new ArrayList<>();
        List<Finding> others = new ArrayList<>();
        for (PciDevice device : PciDevices.list(machine.sys())) {
            Optional<String> driver = KnownDevices.driver(device);
            if (driver.isPresent()) {
                found.add(knownDevice(device, driver.get()));
                found.addAll(new CardChecks(machine).findings(device));
            } else if (device.classCode() >>> 16 == NETWORK) { // for DPDK or RDMA
                others.addAll(new CardChecks(machine).withoutAddress(device));
            }
        }
        if (found.isEmpty()) {
            found.add(Finding.optional("devices", "none that Bascule knows; loopback devices stand in for them",
                    "bascule devices"));
        }
        found.addAll(others);
        return found;
    }

    private Finding knownDevice(PciDevice device, String driver) {
        String name = "device " + device.address();
        if (!DriverBinding.VFIO.equals(device.driver())) {
            String held = device.driver() == null ? "without a driver" : "held by " + device.driver();
            Optional<String> route = interfaces(device).filter(this::isWayOut).findFirst();
            if (route.isPresent()) {
                return Finding.ok(name, driver + ", " + held + ": this machine's way into its network (" + route.get()
                        + "), to be left as it is");
            }
            return Finding.optional(name, driver + ", " + held, machine.sudo() + "scripts/bascule bind "
                    + device.address());
        }
        if (device.iommuGroup() < 0) {
            return Finding.optional(name, driver + ", bound, but in no IOMMU group", "switch the IOMMU on, see above");
        }
        IommuGroup group = IommuGroup.of(machine.sys(), device.address()).orElseThrow();
        if (!group.offenders().isEmpty()) {
            return Finding.optional(name, driver + ", bound, but its group also has " + group.describeOffenders(),
                    machine.sudo() + "scripts/bascule bind --group " + device.address());
        }
        return access(name, driver, device, machine.dev().resolve("vfio/" + group.number()));
    }

    /** Names of the network interfaces of a device; virtio's are those of a device below it. */
    private Stream<String> interfaces(PciDevice device) {
        Path folder = machine.sys().resolve("bus/pci/devices/" + device.address());
        return Stream.concat(Machine.names(folder.resolve("net")).stream(),
                Machine.names(folder).stream().filter(name -> name.startsWith("virtio"))
                        .flatMap(name -> Machine.names(folder.resolve(name).resolve("net")).stream()));
    }

    /** Whether the default route, or that of IPv6, leaves by this interface. */
    private boolean isWayOut(String network) {
        return KernelText.lines(Machine.text(machine.proc().resolve("net/route"))).stream()
                .anyMatch(line -> line.startsWith(network + "\t00000000\t"))
                || KernelText.lines(Machine.text(machine.proc().resolve("net/ipv6_route"))).stream()
                        .anyMatch(line -> line.startsWith("0".repeat(32) + " 00 ") && line.endsWith(" " + network));
    }

    private Finding access(String name, String driver, PciDevice device, Path groupNode) {
        VfioNodes nodes = new VfioNodes(machine.sys(), machine.dev());
        if (nodes.groupIsOpen(device.address()) || nodes.deviceIsOpen(device.address())) {
            return Finding.ok(name, driver + ", bound and accessible");
        }
        Optional<Path> own = nodes.device(device.address());
        if (own.isEmpty() || nodes.group(device.address()).isPresent()) {
            return Finding.optional(name, driver + ", bound, no access to " + groupNode,
                    machine.sudo() + "chown $USER " + groupNode);
        }
        return Finding.optional(name, driver + ", bound, no access to " + own.get() + " and " + nodes.iommufd(),
                machine.sudo() + "chown $USER " + own.get() + "; " + machine.sudo() + "chmod 0666 "
                        + nodes.iommufd());
    }

    private Finding compiler() {
        for (String name : List.of("cc", "gcc", "clang")) {
            Optional<Path> program = machine.program(name);
            if (program.isPresent()) {
                return Finding.ok("C compiler", program.get().toString());
            }
        }
        return Finding.optional("C compiler", "no cc, gcc or clang on PATH",
                machine.sudo() + "apt-get install -y gcc libc6-dev");
    }

    private static Finding cacheControl() {
        return CacheControl.available()
                ? Finding.ok("C helper", CacheControl.reason())
                : Finding.optional("C helper", CacheControl.reason(), "scripts/build-native");
    }

    private Finding jextract() {
        return machine.program("jextract").map(program -> Finding.ok("jextract", program.toString()))
                .orElseGet(() -> Finding.optional("jextract", "not on PATH; only for regenerating bindings",
                        "scripts/regenerate-bindings"));
    }

    private Finding dpdk() {
        Optional<String> missing = DpdkEal.missing();
        return DpdkEal.release()
                .map(release -> missing.map(reason -> Finding.optional("DPDK", reason + "; only for DPDK ports",
                        "scripts/dpdk 24.11 -- COMMAND runs a command with that release"))
                        .orElseGet(() -> Finding.ok("DPDK", release)))
                .orElseGet(() -> Finding.optional("DPDK", "not found; only for DPDK ports",
                        machine.sudo() + "apt-get install -y libdpdk-dev"));
    }
}
