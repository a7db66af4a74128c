package dev.bascule.config;

/**
 * One hardware configuration, complete: what the file did not say has its default. Immutable.
 *
 * @param name
 *            file name without {@code .yaml}
 * @param kind
 *            what it describes
 * @param description
 *            one sentence, may be empty
 * @param link
 *            injected latencies
 * @param queues
 *            queue sizes
 * @param watchdog
 *            limits on a silent agent
 * @param optimisations
 *            transport optimisations, each can be off by itself
 * @param device
 *            what a PCI device is; empty for other kinds
 * @param enso
 *            settings of an Ensō board
 * @param rdma
 *            how a peer is reached by RDMA, for kind {@code rdma}
 * @param card
 *            where the SmartNIC's region of a PCI device lies, for driver {@code smartnic}
 * @param timing
 *            when a model of the device answers
 */
public record HardwareConfig(String name, @Key(required = true) DeviceKind kind, @Key String description,
        @Key LinkConfig link, @Key Queues queues, @Key Watchdog watchdog, @Key Optimisations optimisations,
        @Key Device device, @Key Enso enso, @Key Rdma rdma, @Key(type = ValueType.INLINE) CardConfig card,
        @Key ModelTiming timing) {

    /** Messages per channel, and decisions staged ahead per CPU; both powers of two. */
    public record Queues(
            @Key(min = 2, max = 1 << 16, powerOfTwo = true, fallback = "1024") int channelEntries,
            @Key(min = 1, max = 64, powerOfTwo = true, fallback = "1") int stagedDecisions) {}

    /** An agent silent for the soft window is bypassed, for the hard limit killed; soft is below hard. */
    public record Watchdog(
            @Key(value = "softWindow", type = ValueType.DURATION, min = 1000, fallback = "200 us") long softWindowNanos,
            @Key(value = "hardLimit", type = ValueType.DURATION, min = 1000, fallback = "20 ms") long hardLimitNanos) {}

    /**
     * A PCI device.
     *
     * @param ids vendor and device, such as {@code 1234:1001}
     * @param driver Bascule's driver, or {@code none}
     * @param seen where that driver has been seen to work: {@code simulated}, {@code lab}, {@code hardware} or
     *     {@code nowhere}
     */
    public record Device(@Key(type = ValueType.TEXT) java.util.List<String> ids, @Key String driver,
            @Key String seen) {
        /** Copies the list. */
        public Device {
            ids = java.util.List.copyOf(ids);
        }

        /** The mark for people. */
        public String seenText() {
            return switch (seen) {
                case "simulated" -> "simulated; not yet seen on hardware";
                case "lab" -> "seen in the lab guest; not yet seen on hardware";
                case "hardware" -> "seen on hardware";
                default -> "not yet seen anywhere";
            };
        }
    }

    /**
     * Settings of an Ensō board, which its console makes and no register shows.
     *
     * @param pipeRingFlits size of each pipe, in flits of 64 bytes
     * @param notificationRingEntries size of each notification ring, in entries of 64 bytes
     * @param inflightEntries most requests to send that the card has fetched and not done
     * @param perPacketNotification whether each packet carries a notification
     * @param hugepages whether rings of a real card must lie on hugepages of 2 MiB
     * @param boardTool command that makes these settings on the board, run after the card was opened, and so reset; empty
     *     if there is none
     */
    public record Enso(
            @Key(min = 64, max = 1 << 19, powerOfTwo = true, fallback = "32768") int pipeRingFlits,
            @Key(min = 1024, max = 1 << 19, powerOfTwo = true, fallback = "16384") int notificationRingEntries,
            @Key(min = 1, max = 1 << 20, fallback = "500") int inflightEntries,
            @Key(fallback = "false") boolean perPacketNotification, @Key boolean hugepages,
            @Key java.util.List<String> boardTool) {
        /** Copies the list. */
        public Enso {
            boardTool = java.util.List.copyOf(boardTool);
        }
    }

    /**
     * A side of a region that RDMA mirrors.
     *
     * @param device kernel name of the RDMA device; empty: the one that has the address in use
     * @param port of the device; 0: the one that has the address
     * @param gidIndex entry of the port's table of addresses; -1: that of the address in use
     * @param trafficClass DSCP and ECN of the packets
     * @param stallNanos how long a peer may take nothing before the connection counts as broken, ns
     * @param name own name; empty: this machine's
     * @param peer name that the other side must have; empty: any that knows the secret
     * @param secretFile file of the secret that both sides know
     */
    public record Rdma(@Key String device, @Key(max = 254) int port,
            @Key(min = -1, max = 255, fallback = "-1") int gidIndex, @Key(max = 255) int trafficClass,
            @Key(value = "stallLimit", type = ValueType.DURATION, min = 1_000_000, fallback = "20 ms") long stallNanos,
            @Key String name, @Key String peer, @Key String secretFile) {}

    /** Each optimisation of the transport by itself. */
    public record Optimisations(@Key boolean writeCombining, @Key boolean writeThrough, @Key boolean prestage,
            @Key boolean prefetch, @Key boolean batch) {}
}
