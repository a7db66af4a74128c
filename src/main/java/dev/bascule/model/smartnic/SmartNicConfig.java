package dev.bascule.model.smartnic;

import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.LinkProfile;

/**
 * Configuration of a SmartNIC region.
 *
 * @param nicMemoryBytes NIC memory that both sides use, a power of two from 4 KiB to 1 GiB
 * @param hostMemoryBytes host memory the NIC may reach by DMA, a power of two from 4 KiB to 1 GiB
 * @param profile latencies of the link, stored in the region so that both sides use the same
 * @param plan faults that this side injects into what it sends
 * @param seed decides what hardware leaves open; each window opened derives a seed of its own
 */
public record SmartNicConfig(long nicMemoryBytes, long hostMemoryBytes, LinkProfile profile, FaultPlan plan,
        long seed) {
    /** 4 MiB of NIC memory, 4 MiB of host memory, no latency, no faults. */
    public static final SmartNicConfig DEFAULT = new SmartNicConfig(4 << 20, 4 << 20, LinkProfile.ZERO, FaultPlan.NONE,
            1);

    private static final long MIN_BYTES = 4096;
    private static final long MAX_BYTES = 1L << 30;

    /** Checks the sizes; {@link IllegalArgumentException} naming the one that does not fit. */
    public SmartNicConfig {
        check("NIC memory", nicMemoryBytes);
        check("host DMA memory", hostMemoryBytes);
    }

    private static void check(String what, long bytes) {
        if (!isValidSize(bytes)) {
            throw new IllegalArgumentException(
                    what + " of " + bytes + " bytes; it must be a power of two from 4096 to 1073741824");
        }
    }

    static boolean isValidSize(long bytes) {
        return bytes >= MIN_BYTES && bytes <= MAX_BYTES && Long.bitCount(bytes) == 1;
    }

    /** With other sizes. */
    public SmartNicConfig withSizes(long nicBytes, long hostBytes) {
        return new SmartNicConfig(nicBytes, hostBytes, profile, plan, seed);
    }

    /** With another link. */
    public SmartNicConfig withProfile(LinkProfile link) {
        return new SmartNicConfig(nicMemoryBytes, hostMemoryBytes, link, plan, seed);
    }

    /** With faults. */
    public SmartNicConfig withPlan(FaultPlan faults) {
        return new SmartNicConfig(nicMemoryBytes, hostMemoryBytes, profile, faults, seed);
    }

    /** With another seed. */
    public SmartNicConfig withSeed(long newSeed) {
        return new SmartNicConfig(nicMemoryBytes, hostMemoryBytes, profile, plan, newSeed);
    }
}
