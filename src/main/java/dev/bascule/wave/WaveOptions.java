package dev.bascule.wave;

import dev.bascule.agent.MechanismEnd;

/**
 * Wave's optimisations, each of which can be switched off by itself. Write-combining and write-through are properties of
 * the windows a host is given, so they are not here.
 *
 * @param prestage agents may stage decisions before the CPU asks; off: only after {@link MechanismEnd#want}
 * @param prefetch {@link MechanismEnd#want} starts reading the decision line early (PREFETCH_TXNS)
 * @param batch messages leave together at commit; off: a fence after each
 * @param push decisions lie in host memory, written by DMA; off (pull): in NIC memory, read by the host
 * @param interruptNanos delay of a message-signalled interrupt on a simulated link, ns; 0 on real ones
 */
public record WaveOptions(boolean prestage, boolean prefetch, boolean batch, boolean push, long interruptNanos) {
    /** All optimisations, decisions pulled from NIC memory as in the paper. */
    public static final WaveOptions ALL = new WaveOptions(true, true, true, false, 0);

    private static final int PUSH = 1;
    private static final int NO_PRESTAGE = 2;

    /** These options with decisions in host memory, or in NIC memory. */
    public WaveOptions withPush(boolean inHostMemory) {
        return new WaveOptions(prestage, prefetch, batch, inHostMemory, interruptNanos);
    }

    /** Word of the region's header, from which an agent learns where decisions lie. */
    int placement() {
        return (push ? PUSH : 0) | (prestage ? 0 : NO_PRESTAGE);
    }

    static boolean isPush(int placement) {
        return (placement & PUSH) != 0;
    }

    static boolean isPrestage(int placement) {
        return (placement & NO_PRESTAGE) == 0;
    }
}
