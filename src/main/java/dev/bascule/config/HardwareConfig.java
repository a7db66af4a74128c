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
 * @param cpus
 *            CPUs of both sides
 * @param smartNic
 *            shared memories
 * @param link
 *            injected latencies
 * @param queues
 *            queue sizes
 * @param watchdog
 *            limits on a silent agent
 * @param optimisations
 *            transport optimisations, each can be off by itself
 */
public record HardwareConfig(String name, DeviceKind kind, String description, Cpus cpus, SmartNic smartNic,
        LinkConfig link, Queues queues, Watchdog watchdog, Optimisations optimisations) {

    /** Emulated host CPUs and NIC cores. */
    public record Cpus(int host, int nic) {}

    /** Sizes of the two shared memories, powers of two, bytes. */
    public record SmartNic(long nicMemoryBytes, long hostMemoryBytes) {}

    /** Messages per channel, and decisions staged ahead per CPU; both powers of two. */
    public record Queues(int channelEntries, int stagedDecisions) {}

    /** An agent silent for the soft window is bypassed, for the hard limit killed; soft is below hard. */
    public record Watchdog(long softWindowNanos, long hardLimitNanos) {}

    /** Each optimisation of the transport by itself. */
    public record Optimisations(boolean writeCombining, boolean writeThrough, boolean prestage, boolean prefetch,
            boolean batch, boolean dma) {}
}
