package dev.bascule.device;

/**
 * A DMA access that the IOMMU refused.
 *
 * @param iova first address of the access
 * @param lengthBytes its length
 * @param write whether the device wanted to write
 * @param reason why it was refused
 */
public record IommuFault(Iova iova, long lengthBytes, boolean write, String reason) {
    @Override
    public String toString() {
        return (write ? "DMA write of " : "DMA read of ") + lengthBytes + " bytes at " + iova + ": " + reason;
    }
}
