package dev.bascule.model.corundum;

/**
 * The configuration flash a design presents, read-only.
 *
 * @param kind how it is attached
 * @param content what it holds; beyond the end it reads erased (0xFF)
 */
public record CorundumFlash(Kind kind, byte[] content) {
    /** How a flash is attached. */
    public enum Kind {
        /** There is none. */
        NONE,
        /** Serial, bit-banged. */
        SPI,
        /** Parallel, 16 bits wide. */
        BPI
    }

    /** No flash block. */
    static final CorundumFlash NONE = new CorundumFlash(Kind.NONE, new byte[0]);

    int byteAt(long address) {
        return address >= 0 && address < content.length ? content[(int) address] & 0xFF : 0xFF;
    }
}
