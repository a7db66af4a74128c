package dev.bascule.doctor;

import java.util.Map;

/** Names of PCI classes (PCI Code and ID Assignment Specification 1.15, section 1). */
public final class PciClasses {
    private static final Map<Integer, String> BASE = Map.ofEntries(Map.entry(0x00, "unclassified"),
            Map.entry(0x01, "storage"), Map.entry(0x02, "network"), Map.entry(0x03, "display"),
            Map.entry(0x04, "multimedia"), Map.entry(0x05, "memory"), Map.entry(0x06, "bridge"),
            Map.entry(0x07, "communication"), Map.entry(0x08, "system peripheral"), Map.entry(0x09, "input"),
            Map.entry(0x0a, "docking station"), Map.entry(0x0b, "processor"), Map.entry(0x0c, "serial bus"),
            Map.entry(0x0d, "wireless"), Map.entry(0x0e, "intelligent I/O"), Map.entry(0x0f, "satellite"),
            Map.entry(0x10, "encryption"), Map.entry(0x11, "signal processing"), Map.entry(0x12, "accelerator"),
            Map.entry(0x13, "instrumentation"), Map.entry(0x40, "co-processor"), Map.entry(0xff, "other"));

    private static final Map<Integer, String> SUB = Map.ofEntries(Map.entry(0x0100, "SCSI storage"),
            Map.entry(0x0101, "IDE storage"), Map.entry(0x0106, "SATA storage"), Map.entry(0x0108, "NVMe storage"),
            Map.entry(0x0200, "Ethernet"), Map.entry(0x0207, "InfiniBand"), Map.entry(0x0300, "VGA display"),
            Map.entry(0x0500, "RAM"), Map.entry(0x0600, "host bridge"), Map.entry(0x0601, "ISA bridge"),
            Map.entry(0x0604, "PCI bridge"), Map.entry(0x0703, "modem"), Map.entry(0x0806, "IOMMU"),
            Map.entry(0x0c03, "USB"), Map.entry(0x0c05, "SMBus"));

    private PciClasses() {}

    /**
     * A name for people.
     *
     * @param classCode class, subclass and programming interface, 24 bits; -1 for unknown
     */
    public static String name(int classCode) {
        if (classCode < 0) {
            return "unknown";
        }
        String sub = SUB.get(classCode >>> 8);
        return sub != null ? sub : BASE.getOrDefault(classCode >>> 16, "class %06x".formatted(classCode));
    }
}
