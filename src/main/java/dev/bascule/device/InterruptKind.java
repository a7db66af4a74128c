package dev.bascule.device;

/** The kinds of interrupt a PCI function and its kernel driver can signal; the order is that of VFIO's IRQ indices. */
public enum InterruptKind {
    /** The level-triggered pin. */
    INTX,
    /** Message interrupts of the MSI capability. */
    MSI,
    /** Message interrupts of the MSI-X capability, with a mask per vector. */
    MSIX,
    /** An uncorrectable error of the device. */
    ERROR,
    /** The kernel asks the driver to give the device back (removal). */
    REQUEST
}
