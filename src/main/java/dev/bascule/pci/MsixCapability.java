package dev.bascule.pci;

import java.util.Optional;

/**
 * The MSI-X capability, decoded.
 *
 * @param offset where the capability starts
 * @param vectors entries of the table, 1 to 2048
 * @param tableBar BAR that holds the table
 * @param tableOffset where in it
 * @param pbaBar BAR that holds the pending bits
 * @param pbaOffset where in it
 */
public record MsixCapability(int offset, int vectors, int tableBar, long tableOffset, int pbaBar, long pbaOffset) {
    /** Bytes of one table entry. */
    public static final int ENTRY_BYTES = 16;

    /** Decodes it; empty when there is none, or it names a BAR that cannot exist. */
    public static Optional<MsixCapability> of(ConfigSpace config) {
        Optional<Capability> found = Capabilities.of(config).find(Capability.MSIX);
        if (found.isEmpty() || found.get().offset() + 12 > config.sizeBytes()) {
            return Optional.empty();
        }
        int at = found.get().offset();
        long table = Integer.toUnsignedLong(config.read32(at + 4));
        long pba = Integer.toUnsignedLong(config.read32(at + 8));
        if ((table & 7) > 5 || (pba & 7) > 5) {
            return Optional.empty();
        }
        return Optional.of(new MsixCapability(at, (config.read16(at + 2) & 0x7ff) + 1, (int) table & 7, table & ~7L,
                (int) pba & 7, pba & ~7L));
    }

    /** Bytes of the table. */
    public long tableBytes() {
        return (long) vectors * ENTRY_BYTES;
    }

    /** Bytes of the pending bits. */
    public long pbaBytes() {
        return (vectors + 63) / 64 * 8L;
    }

    /** Whether the function has it switched on. */
    public boolean enabled(ConfigSpace config) {
        return (config.read16(offset + 2) & 0x8000) != 0;
    }

    /** Whether all vectors are masked. */
    public boolean functionMasked(ConfigSpace config) {
        return (config.read16(offset + 2) & 0x4000) != 0;
    }
}
