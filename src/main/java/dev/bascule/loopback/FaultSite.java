package dev.bascule.loopback;

import java.util.Locale;

/** Where a fault can strike; {@code offset} of a rule is counted in the unit given here. */
public enum FaultSite {
    /** A driver's register read; offset in the BAR plus {@code bar << 32}. */
    REGISTER_READ,
    /** A driver's register write; offset in the BAR plus {@code bar << 32}. */
    REGISTER_WRITE,
    /** A line the host stores to NIC memory; offset in NIC memory. */
    HOST_TO_NIC,
    /** A line the NIC's cores store to NIC memory for the host to read; offset in NIC memory. */
    NIC_TO_HOST,
    /** A DMA read of the device; its IOVA, or offset in host memory. */
    DMA_READ,
    /** A DMA write of the device; its IOVA, or offset in host memory. */
    DMA_WRITE,
    /** A message interrupt; its vector. */
    INTERRUPT,
    /** A doorbell from host to NIC; its number. */
    DOORBELL;

    /** The name as written in rules: {@code host-to-nic}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
