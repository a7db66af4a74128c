package dev.bascule.pci;

/**
 * One capability in config space.
 *
 * @param id its number; conventional and extended capabilities have separate numbers
 * @param offset where it starts
 * @param extended whether it is an extended (PCI Express) capability
 */
public record Capability(int id, int offset, boolean extended) {
    /** Power management. */
    public static final int POWER_MANAGEMENT = 0x01;
    /** Message interrupts. */
    public static final int MSI = 0x05;
    /** Vendor-specific. */
    public static final int VENDOR = 0x09;
    /** PCI Express. */
    public static final int EXPRESS = 0x10;
    /** Message interrupts with a table. */
    public static final int MSIX = 0x11;

    /** Name for people. */
    public String name() {
        return extended ? extendedName() : switch (id) {
            case POWER_MANAGEMENT -> "power management";
            case 0x03 -> "vital product data";
            case MSI -> "MSI";
            case VENDOR -> "vendor-specific";
            case 0x0d -> "bridge subsystem";
            case EXPRESS -> "PCI Express";
            case MSIX -> "MSI-X";
            case 0x13 -> "advanced features";
            default -> "capability 0x%02x".formatted(id);
        };
    }

    private String extendedName() {
        return switch (id) {
            case 0x01 -> "advanced error reporting";
            case 0x03 -> "device serial number";
            case 0x0b -> "vendor-specific";
            case 0x0d -> "access control services";
            case 0x0e -> "alternative routing-id";
            case 0x0f -> "address translation services";
            case 0x10 -> "SR-IOV";
            case 0x13 -> "page request";
            case 0x15 -> "resizable BAR";
            case 0x18 -> "latency tolerance reporting";
            case 0x19 -> "secondary PCI Express";
            case 0x1b -> "process address space id";
            default -> "extended capability 0x%04x".formatted(id);
        };
    }
}
