package dev.bascule.pci;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Path of 64-bit AtomicOps between a function and its host: what the swap's one-word mode needs. Source: PCI Express
 * Base 4.0 sections 6.15 (who routes and completes) and 7.5.3.15 (the bits).
 * <p>
 * A function does not say whether it can send AtomicOps at all, only whether it may: its documents say that.
 *
 * @param toHost why the function cannot reach host memory by them; empty if it may
 * @param toDevice why the host cannot reach the function's memory by them; empty if it can
 */
public record AtomicOpsPath(String toHost, String toDevice) {
    private static final int ROUTES = 1 << 6;
    private static final int COMPLETES_64 = 1 << 8;
    private static final int BLOCKS_EGRESS = 1 << 7;
    private static final int CAPABILITIES_2 = 36;
    private static final int CONTROL_2 = 40;

    /** Of a function of this machine, by its config space and that of the bridges above it, which root can read. */
    public static AtomicOpsPath of(ConfigSpace config, Path sysfsRoot, PciAddress address) {
        if (config.sizeBytes() < ConfigSpace.CONVENTIONAL_BYTES) {
            String unread = "its capabilities cannot be read; ask as root";
            return new AtomicOpsPath(unread, unread);
        }
        Optional<ExpressCapability> express = ExpressCapability.of(config);
        if (express.isEmpty()) {
            return none();
        }
        return new AtomicOpsPath(above(sysfsRoot, address), completes(express.get())
                ? "it completes them, but no instruction of the host's CPU sends one to a mapped BAR"
                : noCompleter(express.get()));
    }

    /**
     * Of a function that a server emulates, whose memory host and server map: the server's locked instructions are its
     * AtomicOps, and the host's in a BAR that is such memory.
     */
    public static AtomicOpsPath ofServed(ConfigSpace config) {
        return ExpressCapability.of(config)
                .map(express -> new AtomicOpsPath("", completes(express) ? "" : noCompleter(express)))
                .orElseGet(AtomicOpsPath::none);
    }

    /** For a device that has neither way. */
    public static AtomicOpsPath none() {
        String why = "it has no PCI Express capability, so no AtomicOps";
        return new AtomicOpsPath(why, why);
    }

    private static boolean completes(ExpressCapability express) {
        return express.atomics().completes64();
    }

    private static String noCompleter(ExpressCapability express) {
        return "it does not complete AtomicOps of 64 bits (AtomicOps: " + express.atomics().text() + ")";
    }

    /** Every switch on the way routes them, and the root port completes them. */
    private static String above(Path sysfsRoot, PciAddress address) {
        try {
            @Nullable
            Path at = sysfsRoot.resolve("bus/pci/devices/" + address).toRealPath().getParent();
            boolean isRoot = false;
            while (at != null && isFunction(at) && !isRoot) {
                ConfigSpace bridge = read(at.resolve("config"));
                int offset = bridge == null
                        ? 0
                        : Capabilities.of(bridge).find(Capability.EXPRESS).map(Capability::offset).orElse(0);
                if (bridge == null || offset == 0 || offset + CONTROL_2 + 2 > bridge.sizeBytes()) {
                    return "the capabilities of bridge " + at.getFileName() + " above it cannot be read; ask as root";
                }
                isRoot = (bridge.read16(offset + 2) >>> 4 & 0xf) == 4;
                int device2 = bridge.read32(offset + CAPABILITIES_2);
                if (isRoot && (device2 & COMPLETES_64) == 0) {
                    return "root port " + at.getFileName() + " does not complete AtomicOps of 64 bits";
                }
                if (!isRoot && (device2 & ROUTES) == 0) {
                    return "bridge " + at.getFileName() + " on the way to the host does not route AtomicOps";
                }
                if (!isRoot && (bridge.read16(offset + CONTROL_2) & BLOCKS_EGRESS) != 0) {
                    return "bridge " + at.getFileName() + " blocks AtomicOps (egress blocking is on)";
                }
                at = at.getParent();
            }
            return isRoot
                    ? ""
                    : "no root port is seen above it, as in a guest: whether host memory completes is not known";
        } catch (IOException e) {
            return "the bridges above it cannot be read: " + e.getMessage();
        }
    }

    private static boolean isFunction(Path folder) {
        return String.valueOf(folder.getFileName()).matches("[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");
    }

    private static @Nullable ConfigSpace read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(ConfigSpace.CONVENTIONAL_BYTES);
            return bytes.length < ConfigSpace.CONVENTIONAL_BYTES
                    ? null
                    : ConfigSpace.copyOf(Arrays.copyOf(bytes, bytes.length));
        }
    }

    /** Whether the one-word mode is possible, and with which placement, for people. */
    public String text() {
        if (!toHost.isEmpty() && !toDevice.isEmpty()) {
            return toHost.equals(toDevice)
                    ? "not possible: " + toHost
                    : "not possible: with push, " + toHost + "; with pull, " + toDevice;
        }
        return "possible with --placement "
                + (toHost.isEmpty()
                        ? toDevice.isEmpty() ? "push or pull" : "push, if the function sends AtomicOps"
                        : "pull");
    }
}
