package dev.bascule.cli;

import dev.bascule.config.ConfigException;
import dev.bascule.config.DeviceKind;
import dev.bascule.config.HardwareConfig;
import dev.bascule.config.HardwareConfigs;
import dev.bascule.device.Bar;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Registers;
import dev.bascule.doctor.KnownDevices;
import dev.bascule.doctor.PciClasses;
import dev.bascule.json.Json;
import dev.bascule.pci.AtomicOpsPath;
import dev.bascule.pci.Capabilities;
import dev.bascule.pci.CapabilityFacts;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ExpressCapability;
import dev.bascule.pci.IommuGroup;
import dev.bascule.pci.PciDevice;
import dev.bascule.pci.VirtualFunctions;
import dev.bascule.report.Numbers;
import dev.bascule.vfio.IommuInfo;
import dev.bascule.vfio.VfioDevice;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Findings of {@code probe}, as text and as JSON. */
final class ProbeReport {
    private final String name;
    private final boolean isServed;
    private final int vendorId;
    private final int deviceId;
    private final ConfigSpace config;
    private final Map<String, String> facts = new LinkedHashMap<>();
    private final List<String> barLines = new ArrayList<>();
    private final Map<InterruptKind, Integer> interrupts = new EnumMap<>(InterruptKind.class);
    private final Map<String, String> registers = new LinkedHashMap<>();
    private @Nullable IommuInfo iommu;
    private String problem = "";
    private boolean opened;

    private ProbeReport(String name, boolean isServed, int vendorId, int deviceId, ConfigSpace config) {
        this.name = name;
        this.isServed = isServed;
        this.vendorId = vendorId;
        this.deviceId = deviceId;
        this.config = config;
    }

    /** Report of a function, from sysfs. */
    static ProbeReport ofFunction(PciDevice device, ConfigSpace config, Path sysfs) {
        ProbeReport report = new ProbeReport(device.address().toString(), false, device.vendorId(), device.deviceId(),
                config);
        report.identify(device.classCode(), device.driver());
        report.place(device, sysfs);
        return report;
    }

    /** Report of a served device that is open, from the device itself. */
    static ProbeReport ofServed(String socket, DeviceBacking open) {
        Registers registers = open.config();
        byte[] bytes = new byte[Math.toIntExact(registers.sizeBytes())];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) registers.read8(i);
        }
        ProbeReport report = new ProbeReport(socket, true, open.info().vendorId(), open.info().deviceId(),
                ConfigSpace.copyOf(bytes));
        report.identify(open.info().classCode(), null);
        report.facts.put("opened by", open.info().backing());
        report.opened(open);
        return report;
    }

    private void identify(int classCode, @Nullable String driver) {
        facts.put("class", PciClasses.name(classCode));
        if (!isServed) {
            facts.put("kernel driver", driver == null ? "none" : driver);
        }
        facts.put("Bascule driver", KnownDevices.driver(vendorId, deviceId).orElse("none"));
        configurations().forEach(one -> facts.put("configuration " + one.name(),
                one.description() + "; " + one.device().seenText()));
    }

    private void place(PciDevice device, Path sysfs) {
        facts.put("NUMA node", device.numaNode() < 0 ? "unknown" : Integer.toString(device.numaNode()));
        facts.put("IOMMU group", IommuGroup.of(sysfs, device.address())
                .map(group -> group.number() + ": " + group.describe()).orElse("none (no IOMMU)"));
        ExpressCapability.of(config).ifPresent(express -> {
            facts.put("link", express.link());
            facts.put("AtomicOps", express.atomics().text());
            facts.put("one-word swap", AtomicOpsPath.of(config, sysfs, device.address()).text());
        });
        VirtualFunctions functions = new VirtualFunctions(sysfs, device.address());
        if (functions.possible() > 0) {
            facts.put("virtual functions", functions.present() + " of " + functions.possible());
        }
        for (PciDevice.BarRange bar : device.bars()) {
            barLines.add(bar.index() + ": " + Numbers.bytes(bar.sizeBytes()) + (bar.memory() ? " memory" : " I/O")
                    + (bar.wide() ? ", 64-bit" : "") + (bar.prefetchable() ? ", prefetchable" : ""));
        }
    }

    /** Installed configurations that describe this device. */
    private List<HardwareConfig> configurations() {
        List<HardwareConfig> found = new ArrayList<>();
        for (String name : HardwareConfigs.available()) {
            try {
                HardwareConfig one = HardwareConfigs.load(name);
                if (one.kind() == DeviceKind.PCI && one.device().ids().contains(identity())) {
                    found.add(one);
                }
            } catch (ConfigException e) {
                facts.put("configuration " + name, String.valueOf(e.getMessage()));
            }
        }
        return found;
    }

    /** Adds what only the open function tells. */
    void opened(VfioDevice open) {
        IommuInfo limits = open.iommu();
        iommu = limits;
        facts.put("opened by", limits.name());
        facts.put("reset", open.isResettable()
                ? "by itself"
                : open.slotMembers().isEmpty() ? "none" : "with its slot: " + open.slotMembers());
        opened((DeviceBacking) open);
    }

    private void opened(DeviceBacking open) {
        opened = true;
        barLines.clear();
        for (Bar bar : open.bars()) {
            barLines.add(bar.index() + ": " + Numbers.bytes(bar.sizeBytes()) + (bar.wide() ? ", 64-bit" : "")
                    + (bar.prefetchable() ? ", prefetchable" : "") + ", " + mappable(bar));
        }
        for (InterruptKind kind : InterruptKind.values()) {
            int count = open.interruptCount(kind);
            if (count > 0) {
                interrupts.put(kind, count);
            }
        }
        registers.putAll(OwnRegisters.of(open));
    }

    private static String mappable(Bar bar) {
        if (bar.mappable().isEmpty()) {
            return "by system call only";
        }
        if (bar.isMappable(0, bar.sizeBytes())) {
            return "mappable";
        }
        return "mappable in " + bar.mappable().size() + " parts";
    }

    void notOpened(String why) {
        problem = why;
    }

    private String identity() {
        return "%04x:%04x".formatted(vendorId & 0xffff, deviceId & 0xffff);
    }

    String text() {
        StringBuilder out = new StringBuilder();
        out.append(name).append(' ').append(identity()).append('\n');
        facts.forEach((name, value) -> line(out, name, value));
        barLines.forEach(bar -> line(out, "BAR", bar));
        interrupts
                .forEach((kind, count) -> line(out, "interrupts", kind.name().toLowerCase(Locale.ROOT) + ": " + count));
        IommuInfo limits = iommu;
        if (limits != null) {
            line(out, "DMA pages", pages(limits.pageSizes()));
            limits.ranges().forEach(range -> line(out, "DMA addresses", range.toString()));
            if (limits.mappingsLeft() >= 0) {
                line(out, "DMA mappings", limits.mappingsLeft() + " left");
            }
        }
        for (CapabilityFacts.Fact fact : CapabilityFacts.of(config)) {
            line(out, (fact.extended() ? "[%03x] " : "[%02x] ").formatted(fact.offset()) + fact.name(), fact.text());
        }
        Capabilities.of(config).problems().forEach(wrong -> line(out, "config space", wrong));
        registers.forEach((name, value) -> line(out, "register " + name, value));
        if (config.sizeBytes() == 64) {
            line(out, "config space", "the first 64 bytes only: as root there is more");
        }
        if (!problem.isEmpty()) {
            out.append("\nNot opened: ").append(problem).append('\n');
        }
        return out.toString();
    }

    private static void line(StringBuilder out, String name, String value) {
        out.append("  ").append("%-32s".formatted(name)).append(value).append('\n');
    }

    private static String pages(long sizes) {
        long smallest = Long.lowestOneBit(sizes);
        List<String> names = new ArrayList<>();
        for (int bit = Long.numberOfTrailingZeros(smallest); bit < 40 && names.size() < 4; bit++) {
            if ((sizes & 1L << bit) != 0) {
                names.add(Numbers.bytes(1L << bit));
            }
        }
        return String.join(", ", names) + (Long.bitCount(sizes) > 4 ? ", ..." : "");
    }

    String json() {
        Json.Obj out = Json.object().put(isServed ? "socket" : "address", name).put("vendorId", vendorId)
                .put("deviceId", deviceId).put("opened", opened);
        Json.Obj kinds = Json.object();
        interrupts.forEach((kind, count) -> kinds.put(kind.name().toLowerCase(Locale.ROOT), count));
        out.put("facts", Json.object(facts)).put("bars", Json.texts(barLines)).put("interrupts", kinds)
                .put("capabilities", Json.array(CapabilityFacts.of(config), fact -> Json.object()
                        .put("name", fact.name()).put("offset", fact.offset()).put("extended", fact.extended())
                        .put("text", fact.text())))
                .put("registers", Json.object(registers));
        IommuInfo limits = iommu;
        if (limits != null) {
            out.put("iommu", Json.object().put("interface", limits.name()).put("pages", pages(limits.pageSizes()))
                    .put("ranges", Json.texts(limits.ranges())).put("mappingsLeft", limits.mappingsLeft())
                    .put("dirtyTracking", limits.dirtyTracking()));
        }
        return out.put("problem", problem.isEmpty() ? null : problem).pretty();
    }
}
