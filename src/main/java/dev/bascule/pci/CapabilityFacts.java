package dev.bascule.pci;

import java.util.ArrayList;
import java.util.List;

/** Facts that the capabilities of a function tell, one line each, for people. */
public final class CapabilityFacts {
    /**
     * One capability.
     *
     * @param name its name
     * @param offset where it starts
     * @param extended whether it is an extended one
     * @param text its contents, empty for a kind that is not decoded
     */
    public record Fact(String name, int offset, boolean extended, String text) {}

    private CapabilityFacts() {}

    /** Decodes all, in chain order. A capability that is cut off by the end of what could be read is marked as such. */
    public static List<Fact> of(ConfigSpace config) {
        List<Fact> facts = new ArrayList<>();
        for (Capability capability : Capabilities.of(config).list()) {
            String text;
            try {
                text = capability.extended() ? extended(config, capability) : conventional(config, capability);
            } catch (IndexOutOfBoundsException e) {
                text = "cut off: only the first " + config.sizeBytes() + " bytes of config space can be read";
            }
            facts.add(new Fact(capability.name(), capability.offset(), capability.extended(), text));
        }
        return facts;
    }

    private static String conventional(ConfigSpace config, Capability capability) {
        int at = capability.offset();
        return switch (capability.id()) {
            case Capability.POWER_MANAGEMENT -> "in D" + (config.read16(at + 4) & 3)
                    + ((config.read16(at + 4) & 8) != 0 ? ", no soft reset" : "");
            case Capability.MSI -> msi(config.read16(at + 2));
            case Capability.MSIX -> MsixCapability.of(config)
                    .map(msix -> msix.vectors() + " vectors, table in BAR " + msix.tableBar() + " at 0x"
                            + Long.toHexString(msix.tableOffset())
                            + (msix.enabled(config) ? ", enabled" : ", off"))
                    .orElse("names a BAR that cannot exist");
            case Capability.EXPRESS -> ExpressCapability.of(config)
                    .map(express -> express.port() + ", " + express.link() + (express.canReset()
                            ? ", function-level reset"
                            : ", no function-level reset") + "; AtomicOps: " + express.atomics().text())
                    .orElse("");
            default -> "";
        };
    }

    private static String msi(int control) {
        return (1 << (control >>> 1 & 7)) + " vectors" + ((control & 0x80) != 0 ? ", 64-bit" : "")
                + ((control & 0x100) != 0 ? ", maskable" : "") + ((control & 1) != 0 ? ", enabled" : ", off");
    }

    private static String extended(ConfigSpace config, Capability capability) {
        int at = capability.offset();
        return switch (capability.id()) {
            case 0x01 -> "uncorrectable 0x%08x, correctable 0x%08x".formatted(config.read32(at + 4),
                    config.read32(at + 16));
            case 0x0f -> "queue of " + depth(config.read16(at + 4)) + ((config.read16(at + 6) & 0x8000) != 0
                    ? ", enabled"
                    : ", off");
            case 0x10 -> config.read16(at + 14) + " virtual functions possible, " + config.read16(at + 16)
                    + " on; device id %04x, first at +%d, every %d".formatted(config.read16(at + 26),
                            config.read16(at + 20), config.read16(at + 22));
            case 0x15 -> resizable(config, at);
            default -> "";
        };
    }

    private static int depth(int register) {
        int depth = register & 0x1f;
        return depth == 0 ? 32 : depth;
    }

    private static String resizable(ConfigSpace config, int at) {
        int count = config.read32(at + 8) >>> 5 & 7;
        List<String> bars = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int sizes = config.read32(at + 4 + 8 * i) >>> 4;
            int control = config.read32(at + 8 + 8 * i);
            List<String> possible = new ArrayList<>();
            for (int bit = 0; bit < 28; bit++) {
                if ((sizes & 1 << bit) != 0) {
                    possible.add(mebibytes(bit));
                }
            }
            bars.add("BAR " + (control & 7) + " has " + mebibytes(control >>> 8 & 0x3f) + ", possible "
                    + String.join(" ", possible));
        }
        return String.join("; ", bars);
    }

    private static String mebibytes(int power) {
        return power < 10 ? (1L << power) + "M" : (1L << power - 10) + "G";
    }
}
