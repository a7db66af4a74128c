package dev.bascule.nic.ivshmem;

/** Numbers of QEMU's ivshmem device. Source: QEMU documentation, "Device Specification for Inter-VM shared memory". */
public final class IvshmemRegisters {
    /** PCI vendor. */
    public static final int VENDOR_ID = 0x1af4;
    /** PCI device. */
    public static final int DEVICE_ID = 0x1110;
    /** BAR of the registers. */
    public static final int REGISTER_BAR = 0;
    /** BAR of the MSI-X table. */
    public static final int MSIX_BAR = 1;
    /** BAR of the shared memory. */
    public static final int MEMORY_BAR = 2;
    /** Size of the register BAR. */
    public static final long REGISTER_BYTES = 256;
    /** Number of this peer, read only; -1 while the device is not connected. */
    public static final long POSITION = 8;
    /** Doorbell, write only: peer in the upper half, vector in the lower. */
    public static final long DOORBELL = 12;

    private IvshmemRegisters() {}
}
