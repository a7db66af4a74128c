package dev.bascule.pci;

import java.util.Arrays;

/**
 * PCI config space as bytes with a write mask: what a model presents, or a copy of what a device presented. Little
 * endian. Not thread-safe.
 */
public final class ConfigSpace {
    /** Size of conventional config space. */
    public static final int CONVENTIONAL_BYTES = 256;

    /** Size of PCI Express config space. */
    public static final int EXPRESS_BYTES = 4096;

    private final byte[] data;
    private final byte[] writable;

    ConfigSpace(byte[] data, byte[] writable) {
        this.data = data;
        this.writable = writable;
    }

    /**
     * A read-only copy of config space as read from a device.
     *
     * @throws IllegalArgumentException unless it is 64, 256 or 4096 bytes long (64: an unprivileged sysfs read)
     */
    public static ConfigSpace copyOf(byte[] bytes) {
        if (bytes.length != 64 && bytes.length != CONVENTIONAL_BYTES && bytes.length != EXPRESS_BYTES) {
            throw new IllegalArgumentException("config space of " + bytes.length + " bytes; it has 64, 256 or 4096");
        }
        return new ConfigSpace(bytes.clone(), new byte[bytes.length]);
    }

    /** Size in bytes. */
    public int sizeBytes() {
        return data.length;
    }

    /** Reads 1, 2, 4 or 8 bytes, zero-extended. */
    public long read(int offset, int widthBytes) {
        check(offset, widthBytes);
        long value = 0;
        for (int i = widthBytes - 1; i >= 0; i--) {
            value = value << 8 | data[offset + i] & 0xff;
        }
        return value;
    }

    /** Reads 8 bits. */
    public int read8(int offset) {
        return (int) read(offset, 1);
    }

    /** Reads 16 bits. */
    public int read16(int offset) {
        return (int) read(offset, 2);
    }

    /** Reads 32 bits. */
    public int read32(int offset) {
        return (int) read(offset, 4);
    }

    /** A write of the driver: changes only writable bits. */
    public void write(int offset, int widthBytes, long value) {
        check(offset, widthBytes);
        for (int i = 0; i < widthBytes; i++) {
            int mask = writable[offset + i];
            data[offset + i] = (byte) (data[offset + i] & ~mask | (int) (value >>> 8 * i) & mask);
        }
    }

    /** A change by the device itself: no mask. */
    public void set(int offset, int widthBytes, long value) {
        check(offset, widthBytes);
        for (int i = 0; i < widthBytes; i++) {
            data[offset + i] = (byte) (value >>> 8 * i);
        }
    }

    /** The bytes, copied. */
    public byte[] toBytes() {
        return Arrays.copyOf(data, data.length);
    }

    private void check(int offset, int widthBytes) {
        if (widthBytes != 1 && widthBytes != 2 && widthBytes != 4 && widthBytes != 8) {
            throw new IllegalArgumentException("config access of " + widthBytes + " bytes; use 1, 2, 4 or 8");
        }
        if (offset < 0 || offset > data.length - widthBytes) {
            throw new IndexOutOfBoundsException("config offset " + offset + " with width " + widthBytes
                    + " lies outside of " + data.length + " bytes");
        }
    }
}
