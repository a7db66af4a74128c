package dev.bascule.device;

/**
 * An address a device uses for DMA: what an IOMMU translates, not an offset into any memory. Compared as unsigned.
 *
 * @param value the address
 */
public record Iova(long value) implements Comparable<Iova> {
    /** The address {@code offsetBytes} further; {@link ArithmeticException} when it leaves the 64-bit space. */
    public Iova plus(long offsetBytes) {
        long sum = value + offsetBytes;
        if (offsetBytes < 0 || Long.compareUnsigned(sum, value) < 0) {
            throw new ArithmeticException(this + " + " + offsetBytes + " leaves the address space");
        }
        return new Iova(sum);
    }

    @Override
    public int compareTo(Iova other) {
        return Long.compareUnsigned(value, other.value);
    }

    @Override
    public String toString() {
        return "iova 0x" + Long.toHexString(value);
    }
}
