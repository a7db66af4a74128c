package dev.bascule.device;

/** Direction of a DMA mapping, which says who may touch it in which way, seen from the device. */
public enum DmaDirection {
    /** The device reads and writes. */
    BOTH,
    /** The device only reads; a write is a fault. */
    DEVICE_READS,
    /** The device only writes; a read is a fault. */
    DEVICE_WRITES;

    /** Whether the device may do this. */
    public boolean allows(boolean write) {
        return this == BOTH || (this == DEVICE_WRITES) == write;
    }
}
