package dev.bascule.model.corundum;

import org.jspecify.annotations.Nullable;

/** A window with register blocks here and there; between them it reads 0 and swallows writes. */
final class BlockWindow implements RegisterWindow {
    private static final int GRANULE_SHIFT = 4;

    private final int origin;
    private final @Nullable RegisterBlock[] blockOf;
    private final int[] startOf;

    /**
     * @param origin offset of this window in the region that "next" pointers count from
     * @param lengthBytes how far blocks reach
     */
    BlockWindow(int origin, int lengthBytes) {
        this.origin = origin;
        blockOf = new RegisterBlock[lengthBytes >> GRANULE_SHIFT];
        startOf = new int[blockOf.length];
    }

    /** Adds a block that is linked by a list of its own. */
    void add(int at, RegisterBlock block) {
        for (int offset = at; offset < at + block.lengthBytes(); offset += 1 << GRANULE_SHIFT) {
            blockOf[offset >> GRANULE_SHIFT] = block;
            startOf[offset >> GRANULE_SHIFT] = at;
        }
    }

    /** Adds a block behind {@code previous} in the same list. */
    RegisterBlock addAfter(RegisterBlock previous, int at, RegisterBlock block) {
        add(at, block);
        previous.linkTo(origin + at);
        return block;
    }

    @Override
    public int read(int offset) {
        int granule = offset >> GRANULE_SHIFT;
        RegisterBlock block = granule < blockOf.length ? blockOf[granule] : null;
        return block == null ? 0 : block.read(offset - startOf[granule]);
    }

    @Override
    public void write(int offset, int value, int lanes) {
        int granule = offset >> GRANULE_SHIFT;
        RegisterBlock block = granule < blockOf.length ? blockOf[granule] : null;
        if (block != null) {
            block.write(offset - startOf[granule], value, lanes);
        }
    }

    @Override
    public void reset() {
        RegisterBlock last = null;
        for (RegisterBlock block : blockOf) {
            if (block != null && block != last) {
                block.reset();
                last = block;
            }
        }
    }
}
