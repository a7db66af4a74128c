package dev.bascule.model.corundum;

/** A range of 32-bit registers. Offsets are multiples of 4 from its start; anything may be read and written. */
interface RegisterWindow {
    /** All four byte lanes of a write. */
    int ALL_LANES = 0xF;

    /** Nothing there: reads 0, swallows writes. */
    RegisterWindow EMPTY = new RegisterWindow() {
        @Override
        public int read(int offset) {
            return 0;
        }

        @Override
        public void write(int offset, int value, int lanes) {}
    };

    int read(int offset);

    /**
     * @param value data of all four byte lanes; lanes not written carry 0
     * @param lanes bit k set: byte lane k is written. Most of this hardware ignores it [RTL]
     */
    void write(int offset, int value, int lanes);

    /** As after power-on. */
    default void reset() {}

    /** {@code old} with the bytes of {@code value} selected by {@code lanes}. */
    static int merge(int old, int value, int lanes) {
        int mask = (lanes & 1) * 0xFF | (lanes >> 1 & 1) * 0xFF00 | (lanes >> 2 & 1) * 0xFF0000
                | (lanes >> 3 & 1) * 0xFF000000;
        return old & ~mask | value & mask;
    }
}
