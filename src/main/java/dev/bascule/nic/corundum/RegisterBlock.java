package dev.bascule.nic.corundum;

/**
 * Where one register block lies.
 *
 * @param type vendor in the upper, kind in the lower 16 bits
 * @param version major, minor, patch, meta, from the top byte down
 * @param offset of its header in BAR0
 */
public record RegisterBlock(int type, int version, long offset) {
    /** {@code type 0xc001 version 0x400 at 0x80000}. */
    @Override
    public String toString() {
        return "type 0x%x version 0x%x at 0x%x".formatted(type, version, offset);
    }
}
