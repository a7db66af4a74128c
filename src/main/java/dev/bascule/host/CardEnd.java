package dev.bascule.host;

import dev.bascule.device.DeviceException;
import dev.bascule.pci.PciAddress;
import dev.bascule.vfiouser.VfioUserOptions;

/** How one end of a card's region is reached. */
public sealed interface CardEnd {
    /** An ivshmem device of this machine, whose memory the other end's device shares. */
    record Ivshmem(PciAddress address) implements CardEnd {}

    /**
     * The host's end of a SmartNIC: a PCI function.
     *
     * @param device its address, or the socket of a served one
     * @param config name or path of its configuration
     * @param silenceNanos how long the server of a served one may be silent, as {@link VfioUserOptions#timeoutNanos}
     */
    record Function(String device, String config, long silenceNanos) implements CardEnd {
        /** One whose server may be silent for the usual time. */
        public Function(String device, String config) {
            this(device, config, VfioUserOptions.DEFAULT.timeoutNanos());
        }
    }

    /**
     * The end of a SmartNIC's own cores.
     *
     * @param config name or path of the configuration that says how they reach the card's memory
     * @param path instead of the configuration's; empty: that
     */
    record Cores(String config, String path) implements CardEnd {}

    /** In another machine. */
    record Elsewhere() implements CardEnd {}

    /** As a line of a run directory's file. */
    default String line() {
        return switch (this) {
            case Ivshmem ivshmem -> "ivshmem\t" + ivshmem.address;
            case Function function ->
                "function\t" + function.device + "\t" + function.config + "\t" + function.silenceNanos;
            case Cores cores -> "cores\t" + cores.config + "\t" + cores.path;
            case Elsewhere _ -> "elsewhere";
        };
    }

    /**
     * Reads such a line.
     *
     * @throws DeviceException if it is none
     */
    static CardEnd parse(String line) {
        String[] words = line.split("\t", -1);
        return switch (words[0] + words.length) {
            case "ivshmem2" -> new Ivshmem(PciAddress.parse(words[1]));
            case "function4" -> new Function(words[1], words[2], Long.parseLong(words[3]));
            case "cores3" -> new Cores(words[1], words[2]);
            case "elsewhere1" -> new Elsewhere();
            default -> throw new DeviceException("read devices", "'" + line + "'", "it names no end of a card's region",
                    "start the host again");
        };
    }
}
