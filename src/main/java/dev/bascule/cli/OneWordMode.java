package dev.bascule.cli;

import dev.bascule.host.Placement;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.swap.SwapMode;

/** Where the one-word mode of the swap can be had. */
public final class OneWordMode {
    private OneWordMode() {}

    /**
     * Checks the placement that goes with a mode.
     *
     * @param option that asked for it
     * @param isCard the region is in a card, which says by itself what it can do
     * @throws Failure if the host would have to compare and swap in the NIC's memory across PCIe
     */
    public static void require(String option, SwapMode mode, Placement placement, boolean isCard) {
        if (mode == SwapMode.ONE_WORD && placement == Placement.PULL && !isCard) { // a card is asked when it is opened
            throw new Misuse(option
                    + " one-word: both ends must compare-and-swap one word, and no x86 instruction does so"
                    + " in a NIC's memory across PCIe; add --placement coherent, or --placement push, for which the NIC"
                    + " must send AtomicOps to host memory");
        }
    }
}
