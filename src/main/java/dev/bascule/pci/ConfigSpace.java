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

    /** Offset of the vendor's number, 16 bits; the device's number follows. */
    public static final int VENDOR_ID = 0x00;
    /** Offset of the device's number, 16 bits. */
    public static final int DEVICE_ID = 0x02;
    /** Offset of the command register, 16 bits. */
    public static final int COMMAND = 0x04;
    /** Offset of the status register, 16 bits. */
    public static final int STATUS = 0x06;
    /** Offset of the revision, 8 bits; the class code is the 24 bits above it. */
    public static final int REVISION = 0x08;
    /** Offset of the first BAR, 32 bits; the others follow. */
    public static final int BAR_0 = 0x10;
    /** Offset of the subsystem's vendor, 16 bits; the subsystem's number follows. */
    public static final int SUBSYSTEM = 0x2c;
    /** Offset of the pointer to the first capability, 8 bits. */
    public static final int CAPABILITIES = 0x34;
    /** Capabilities begin here, behind the header. */
    public static final int HEADER_BYTES = 0x40;

    /** Bits of {@link #COMMAND}: the device answers in I/O and in memory space. */
    public static final int DECODE = 3;
    /** Bit of {@link #COMMAND}: the device may start DMA and message interrupts. */
    public static final int BUS_MASTER = 4;
    /** Bit of {@link #STATUS}: the device has capabilities. */
    public static final int HAS_CAPABILITIES = 0x10;

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

    /** Writes as the driver does: only writable bits change. */
    public void write(int offset, int widthBytes, long value) {
        check(offset, widthBytes);
        for (int i = 0; i < widthBytes; i++) {
            int mask = writable[offset + i];
            data[offset + i] = (byte) (data[offset + i] & ~mask | (int) (value >>> 8 * i) & mask);
        }
    }

    /** Writes as the device itself does: without the mask. */
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
