package dev.bascule.swap;

import dev.bascule.agent.MechanismEnd;

/**
 * How the swap is used as a transport.
 *
 * @param mode when offers are made
 * @param push the agent's lines lie in host memory, written by DMA; off (pull): in NIC memory, read by the host
 * @param prefetch {@link MechanismEnd#want} starts reading the agent's lines early
 * @param interruptNanos delay of a message-signalled interrupt on a simulated link, ns; 0 on real ones
 * @param limits bounds of a cell. The soft window is the host's watchdog's, as for every transport; the window here only
 *        ends offers that nobody looks after
 */
public record SwapOptions(SwapMode mode, boolean push, boolean prefetch, long interruptNanos, SwapLimits limits) {
    /** Offers end after two seconds if nobody looks after them; reversals in a row raise no suspicion by themselves. */
    public static final SwapLimits PATIENT = new SwapLimits(2_000_000_000, 0, 0, Integer.MAX_VALUE,
            SwapLimits.LAST_NUMBER);
    /** Ahead of need, lines pulled from NIC memory as Wave's decisions are. */
    public static final SwapOptions DEFAULT = new SwapOptions(SwapMode.SWAP1, false, true, 0, PATIENT);

    private static final int PUSH = 1;
    private static final int MODE_SHIFT = 8;

    /** These options with another mode. */
    public SwapOptions withMode(SwapMode other) {
        return new SwapOptions(other, push, prefetch, interruptNanos, limits);
    }

    /** These options with another placement of the agent's lines. */
    public SwapOptions withPush(boolean inHostMemory) {
        return new SwapOptions(mode, inHostMemory, prefetch, interruptNanos, limits);
    }

    /** These options with other bounds. */
    SwapOptions withLimits(SwapLimits bounds) {
        return new SwapOptions(mode, push, prefetch, interruptNanos, bounds);
    }

    /** Word of the region's header, from which an agent learns mode and placement. */
    int placement() {
        return (push ? PUSH : 0) | mode.ordinal() << MODE_SHIFT;
    }

    static boolean isPush(int placement) {
        return (placement & PUSH) != 0;
    }

    static SwapMode mode(int placement) {
        return SwapMode.ofCode(placement >>> MODE_SHIFT & 0xff);
    }
}
