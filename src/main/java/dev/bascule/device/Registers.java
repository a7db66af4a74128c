package dev.bascule.device;

/**
 * Register access to one BAR or to config space, little endian. Reads may have side effects; every access happens
 * exactly once, in program order and in the width given.
 * <p>
 * A removed device reads as all ones and swallows writes, as PCI hardware does; a driver that reads all ones where that
 * value is impossible treats the device as gone.
 * <p>
 * Thread rule: any thread; accesses of different threads are not ordered by this interface. Errors: an offset outside or
 * not a multiple of the width is an {@link IndexOutOfBoundsException}, another width than 1, 2, 4, 8 an
 * {@link IllegalArgumentException}.
 */
public interface Registers {
    /** Size in bytes. */
    long sizeBytes();

    /** Reads 1, 2, 4 or 8 bytes, zero-extended. */
    long read(long offset, int widthBytes);

    /** Writes the low 1, 2, 4 or 8 bytes of {@code value}. */
    void write(long offset, int widthBytes, long value);

    /** Reads 8 bits, 0 to 255. */
    default int read8(long offset) {
        return (int) read(offset, 1);
    }

    /** Reads 16 bits, 0 to 65535. */
    default int read16(long offset) {
        return (int) read(offset, 2);
    }

    /** Reads 32 bits; -1 is all ones. */
    default int read32(long offset) {
        return (int) read(offset, 4);
    }

    /** Reads 64 bits; -1 is all ones. */
    default long read64(long offset) {
        return read(offset, 8);
    }

    /** Writes 8 bits. */
    default void write8(long offset, int value) {
        write(offset, 1, value);
    }

    /** Writes 16 bits. */
    default void write16(long offset, int value) {
        write(offset, 2, value);
    }

    /** Writes 32 bits. */
    default void write32(long offset, int value) {
        write(offset, 4, value);
    }

    /** Writes 64 bits. */
    default void write64(long offset, long value) {
        write(offset, 8, value);
    }

    /** Checks an access the way every implementation must. */
    static void check(long offset, int widthBytes, long sizeBytes) {
        if (widthBytes != 1 && widthBytes != 2 && widthBytes != 4 && widthBytes != 8) {
            throw new IllegalArgumentException("register access of " + widthBytes + " bytes; use 1, 2, 4 or 8");
        }
        if (offset < 0 || offset > sizeBytes - widthBytes || (offset & widthBytes - 1) != 0) {
            throw new IndexOutOfBoundsException("register offset 0x" + Long.toHexString(offset) + " with width "
                    + widthBytes + " is not an aligned offset of an area of " + sizeBytes + " bytes");
        }
    }
}
