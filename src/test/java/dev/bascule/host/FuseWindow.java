package dev.bascule.host;

import dev.bascule.memory.Window;

/** A window of a process that dies before one of its stores. What was not fenced may or may not have left. */
final class FuseWindow extends Window {
    /** The process died. */
    static final class Burnt extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Burnt() {
            super("host died", null, false, false);
        }
    }

    /** Shared by all windows of one process. */
    static final class Fuse {
        private long storesLeft = Long.MAX_VALUE;

        void light(long stores) {
            storesLeft = stores;
        }
    }

    private final Window window;
    private final Fuse fuse;

    FuseWindow(Window window, Fuse fuse) {
        super(window.sizeBytes(), window.type());
        this.window = window;
        this.fuse = fuse;
    }

    @Override
    public long loadAcquire(long offset) {
        return window.loadAcquire(offset);
    }

    @Override
    public void storeRelease(long offset, long value) {
        if (fuse.storesLeft-- <= 0) {
            fuse.storesLeft = 0;
            throw new Burnt();
        }
        window.storeRelease(offset, value);
    }

    @Override
    public void writeFence() {
        window.writeFence();
    }

    @Override
    public void invalidateLine(long offset) {
        window.invalidateLine(offset);
    }

    @Override
    public void prefetchLine(long offset) {
        window.prefetchLine(offset);
    }

    @Override
    public boolean arrived(long offset) {
        return window.arrived(offset);
    }
}
