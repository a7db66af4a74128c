package dev.bascule.swap;

import dev.bascule.memory.Window;

/** The line at a 64-byte aligned offset of a {@link Window}, in whatever memory type the window has. */
final class WindowLine implements Line {
    private final Window window;
    private final long offset;
    private boolean prefetched;

    /**
     * @param offset bytes from the start of the window
     * @throws IllegalArgumentException if the offset is not a multiple of {@link Window#LINE_BYTES}
     */
    WindowLine(Window window, long offset) {
        if (offset < 0 || offset % Window.LINE_BYTES != 0 || offset + Window.LINE_BYTES > window.sizeBytes()) {
            throw new IllegalArgumentException("line at offset " + offset + " of a window of " + window.sizeBytes()
                    + " bytes: want a multiple of " + Window.LINE_BYTES + " inside it");
        }
        this.window = window;
        this.offset = offset;
    }

    @Override
    public long get(int word) {
        return window.loadAcquire(offset + 8L * word);
    }

    @Override
    public void set(int word, long value) {
        window.storeRelease(offset + 8L * word, value);
    }

    @Override
    public void load(long[] into, int at) {
        window.loadLine(offset, into, at);
    }

    @Override
    public void store(long[] from, int at) {
        window.storeLine(offset, from, at);
    }

    @Override
    public void flush() {
        window.writeFence();
    }

    @Override
    public boolean refresh() {
        if (prefetched) {
            prefetched = false; // the copy under way is newer than the last look
        } else {
            window.invalidateLine(offset);
        }
        return window.arrived(offset);
    }

    @Override
    public boolean isBehind(int writer) {
        return window.isBehind(offset, writer);
    }

    @Override
    public void prefetch() {
        prefetched = true; // anew each time: a line fetched for a look that was not made is old by now
        window.invalidateLine(offset);
        window.prefetchLine(offset);
    }
}
