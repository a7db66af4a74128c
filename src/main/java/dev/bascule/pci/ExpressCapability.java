package dev.bascule.pci;

import java.util.Optional;

/**
 * The PCI Express capability, decoded. Source: PCI Express Base 4.0 section 7.5.3.
 *
 * @param offset where it starts
 * @param port what kind of function it is
 * @param canReset whether it offers function-level reset
 * @param speed negotiated link speed: 1 for 2.5 GT/s, 2 for 5, 3 for 8, 4 for 16, 5 for 32; 0 inside a chip
 * @param width negotiated lanes
 * @param maxSpeed what the function can do
 * @param maxWidth what the function can do
 * @param payloadBytes largest payload in use
 * @param atomics its AtomicOps
 */
public record ExpressCapability(int offset, String port, boolean canReset, int speed, int width, int maxSpeed,
        int maxWidth, int payloadBytes, AtomicOps atomics) {
    /** Offset of Device Control 2 in the capability. */
    public static final int CONTROL_2 = 40;
    /** AtomicOp Requester Enable, in Device Control 2. */
    public static final int REQUESTER = 1 << 6;

    private static final String[] SPEEDS = { "unknown", "2.5", "5", "8", "16", "32", "64" };

    /**
     * PCIe AtomicOps: fetch-and-add, swap and compare-and-swap across the link.
     *
     * @param completes32 answers 32-bit AtomicOps to its BARs
     * @param completes64 answers 64-bit AtomicOps
     * @param completes128 answers 128-bit compare-and-swap
     * @param requesterEnabled may send AtomicOps itself
     */
    public record AtomicOps(boolean completes32, boolean completes64, boolean completes128,
            boolean requesterEnabled) {
        /** None at all. */
        public static final AtomicOps NONE = new AtomicOps(false, false, false, false);

        /** Whether the function answers any. */
        public boolean completes() {
            return completes32 || completes64 || completes128;
        }

        /** For people. */
        public String text() {
            String widths = (completes32 ? " 32" : "") + (completes64 ? " 64" : "") + (completes128 ? " 128" : "");
            return (completes() ? "completer for" + widths + " bits" : "no completer")
                    + (requesterEnabled ? ", requester enabled" : ", requester off");
        }
    }

    /** Decodes it; empty when there is none. */
    public static Optional<ExpressCapability> of(ConfigSpace config) {
        Optional<Capability> found = Capabilities.of(config).find(Capability.EXPRESS);
        if (found.isEmpty() || found.get().offset() + 20 > config.sizeBytes()) {
            return Optional.empty();
        }
        int at = found.get().offset();
        int flags = config.read16(at + 2);
        int device = config.read32(at + 4);
        int link = config.read32(at + 12);
        int status = config.read16(at + 18);
        return Optional.of(new ExpressCapability(at, port(flags >>> 4 & 0xf), (device & 1 << 28) != 0, status & 0xf,
                status >>> 4 & 0x3f, link & 0xf, link >>> 4 & 0x3f, 128 << (config.read16(at + 8) >>> 5 & 7),
                atomics(config, at, flags & 0xf)));
    }

    /** Whether a function may send AtomicOps now, by its capability at {@code offset}. */
    public static boolean sendsAtomics(ConfigSpace config, int offset) {
        return offset + CONTROL_2 + 2 <= config.sizeBytes() && (config.read16(offset + CONTROL_2) & REQUESTER) != 0;
    }

    private static AtomicOps atomics(ConfigSpace config, int at, int version) {
        if (version < 2 || at + 44 > config.sizeBytes()) {
            return AtomicOps.NONE;
        }
        int device2 = config.read32(at + 36);
        int control2 = config.read16(at + 40);
        return new AtomicOps((device2 & 1 << 7) != 0, (device2 & 1 << 8) != 0, (device2 & 1 << 9) != 0,
                (control2 & 1 << 6) != 0);
    }

    private static String port(int type) {
        return switch (type) {
            case 0 -> "endpoint";
            case 1 -> "legacy endpoint";
            case 4 -> "root port";
            case 5 -> "upstream port of a switch";
            case 6 -> "downstream port of a switch";
            case 7 -> "bridge to PCI";
            case 8 -> "bridge from PCI";
            case 9 -> "endpoint in the root complex";
            case 10 -> "event collector";
            default -> "type " + type;
        };
    }

    /** The link for people, such as {@code 8 GT/s x16 of 16 GT/s x16}. */
    public String link() {
        if (width == 0) {
            return "no link (inside the chip)";
        }
        return text(speed) + " GT/s x" + width + " of " + text(maxSpeed) + " GT/s x" + maxWidth;
    }

    private static String text(int speed) {
        return speed < SPEEDS.length ? SPEEDS[speed] : "speed " + speed;
    }
}
