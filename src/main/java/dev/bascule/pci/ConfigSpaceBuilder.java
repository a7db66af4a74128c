package dev.bascule.pci;

/**
 * Builds the config space of a device model: type 0 header, BARs that answer sizing as hardware does, and a chain of
 * capabilities in the order they are added. Source: PCI Local Bus 3.0 ch. 6, PCI Express Base 4.0 ch. 7.
 */
public final class ConfigSpaceBuilder {
    private static final int MAX_MSIX_VECTORS = 2048;

    private final byte[] data = new byte[ConfigSpace.EXPRESS_BYTES];
    private final byte[] writable = new byte[ConfigSpace.EXPRESS_BYTES];
    private final ConfigSpace space = new ConfigSpace(data, writable);
    private int lastPointer = ConfigSpace.CAPABILITIES;
    private int free = ConfigSpace.HEADER_BYTES;
    private boolean express;
    private int lastExpress;

    /** A function with this identity. */
    public ConfigSpaceBuilder(int vendorId, int deviceId, int classCode, int revision) {
        space.set(ConfigSpace.VENDOR_ID, 2, vendorId);
        space.set(ConfigSpace.DEVICE_ID, 2, deviceId);
        space.set(ConfigSpace.REVISION, 4, (long) classCode << 8 | revision & 0xff);
        allow(ConfigSpace.COMMAND, 2, 0x0546); // memory, bus master, parity, SERR, INTx disable
        allow(0x0c, 1, 0xff); // cache line size
        allow(0x3c, 1, 0xff); // interrupt line
    }

    /** Subsystem identity. */
    public ConfigSpaceBuilder subsystem(int vendorId, int id) {
        space.set(ConfigSpace.SUBSYSTEM, 2, vendorId);
        space.set(ConfigSpace.SUBSYSTEM + 2, 2, id);
        return this;
    }

    /** Interrupt pin, 1 for INTA. */
    public ConfigSpaceBuilder interruptPin(int pin) {
        space.set(0x3d, 1, pin);
        return this;
    }

    /** A memory BAR; a {@code wide} (64-bit) one also takes the next index. */
    public ConfigSpaceBuilder memoryBar(int index, long sizeBytes, boolean wide, boolean prefetchable) {
        if (index < 0 || index > (wide ? 4 : 5) || sizeBytes < 16 || Long.bitCount(sizeBytes) != 1
                || !wide && sizeBytes > 1L << 31) {
            throw new IllegalArgumentException("no memory BAR " + index + " of " + sizeBytes + " bytes is possible");
        }
        int at = ConfigSpace.BAR_0 + 4 * index;
        space.set(at, 4, (wide ? 4 : 0) | (prefetchable ? 8 : 0));
        allow(at, 4, -sizeBytes);
        if (wide) {
            allow(at + 4, 4, -sizeBytes >> 32);
        }
        return this;
    }

    /** Power management, states D0 and D3hot. */
    public ConfigSpaceBuilder powerManagement() {
        int at = capability(Capability.POWER_MANAGEMENT, 8);
        space.set(at + 2, 2, 3);
        space.set(at + 4, 2, 8); // no soft reset
        allow(at + 4, 2, 3);
        return this;
    }

    /** MSI with 64-bit address and masks; vectors a power of two up to 32. */
    public ConfigSpaceBuilder msi(int vectors) {
        if (vectors < 1 || vectors > 32 || Integer.bitCount(vectors) != 1) {
            throw new IllegalArgumentException("MSI with " + vectors + " vectors; it has 1, 2, 4, 8, 16 or 32");
        }
        int at = capability(Capability.MSI, 24);
        space.set(at + 2, 2, Integer.numberOfTrailingZeros(vectors) << 1 | 0x180);
        allow(at + 2, 2, 0x71);
        allow(at + 4, 4, 0xffff_fffcL);
        allow(at + 8, 4, 0xffff_ffffL);
        allow(at + 12, 2, 0xffff);
        allow(at + 16, 4, (1L << vectors) - 1);
        return this;
    }

    /** MSI-X with its table and pending bits at 8-byte aligned offsets of BARs. */
    public ConfigSpaceBuilder msix(int vectors, int tableBar, long tableOffset, int pbaBar, long pbaOffset) {
        if (vectors < 1 || vectors > MAX_MSIX_VECTORS || ((tableOffset | pbaOffset) & 7) != 0) {
            throw new IllegalArgumentException("MSI-X with " + vectors + " vectors at " + tableOffset + ", " + pbaOffset
                    + "; it has 1 to 2048, at multiples of 8");
        }
        int at = capability(Capability.MSIX, 12);
        space.set(at + 2, 2, vectors - 1L);
        allow(at + 2, 2, 0xc000);
        space.set(at + 4, 4, tableOffset | tableBar);
        space.set(at + 8, 4, pbaOffset | pbaBar);
        return this;
    }

    /** A PCI Express endpoint that can do function-level reset, on an 8 GT/s x16 link; config space becomes 4096 bytes. */
    public ConfigSpaceBuilder express() {
        int at = capability(Capability.EXPRESS, 60);
        lastExpress = at;
        space.set(at + 2, 2, 2); // version 2, endpoint
        space.set(at + 4, 4, 1L << 28 | 1 << 15 | 2); // FLR, role-based errors, 512-byte payload
        space.set(at + 8, 2, 0x2810);
        allow(at + 8, 2, 0x7fff); // bit 15 starts a reset and reads 0
        space.set(at + 12, 4, 0x103);
        allow(at + 16, 2, 0x01fb);
        space.set(at + 18, 2, 0x1103);
        allow(at + 40, 2, 0x05ff);
        express = true;
        return this;
    }

    /** The PCI Express capability of a function that completes AtomicOps of 32 and 64 bits in its memory. */
    public ConfigSpaceBuilder expressWithAtomics() {
        express();
        space.set(lastExpress + 36, 4, 3 << 7);
        return this;
    }

    /** A vendor-specific capability with this body, for anything that the builder has no method for. */
    public ConfigSpaceBuilder vendor(byte[] body) {
        int at = capability(Capability.VENDOR, 3 + body.length);
        space.set(at + 2, 1, 3L + body.length);
        System.arraycopy(body, 0, data, at + 3, body.length);
        return this;
    }

    /** The config space as after power-on; the builder stays usable for another one. */
    public ConfigSpace build() {
        int bytes = express ? ConfigSpace.EXPRESS_BYTES : ConfigSpace.CONVENTIONAL_BYTES;
        return new ConfigSpace(java.util.Arrays.copyOf(data, bytes), java.util.Arrays.copyOf(writable, bytes));
    }

    private int capability(int id, int bytes) {
        int at = free;
        if (at + bytes > ConfigSpace.CONVENTIONAL_BYTES) {
            throw new IllegalStateException("no room left for a capability of " + bytes + " bytes");
        }
        space.set(ConfigSpace.STATUS, 2, ConfigSpace.HAS_CAPABILITIES);
        space.set(lastPointer, 1, at);
        space.set(at, 1, id);
        lastPointer = at + 1;
        free = at + bytes + 3 & ~3;
        return at;
    }

    private void allow(int offset, int widthBytes, long bits) {
        for (int i = 0; i < widthBytes; i++) {
            writable[offset + i] = (byte) (bits >>> 8 * i);
        }
    }
}
