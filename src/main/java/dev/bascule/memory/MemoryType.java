package dev.bascule.memory;

/**
 * How a CPU's accesses to a mapping behave (Intel SDM vol. 3, ch. "Memory Cache Control"). The four types that Wave
 * (ASPLOS'25) chooses from for its queues.
 */
public enum MemoryType {
    /** Uncached: every load and store crosses the link, in program order. A load costs a full round trip. */
    UC,
    /**
     * Write-combining: stores gather in 64-byte buffers and leave in any order, possibly in parts, until a
     * {@link Window#writeFence()}. Loads are uncached.
     */
    WC,
    /**
     * Write-through: loads are cached per 64-byte line and are <em>not</em> coherent with the device. A reader must
     * {@link Window#invalidateLine} before it can see newer data. Stores go straight through.
     */
    WT,
    /** Write-back, coherent: ordinary memory, the NIC's own cores, or a CXL-like link. */
    WB
}
