package dev.bascule.model.corundum;

/** Nothing there: reads 0, swallows writes. */
final class EmptyWindow implements RegisterWindow {
    static final EmptyWindow INSTANCE = new EmptyWindow();

    private EmptyWindow() {}

    @Override
    public int read(int offset) {
        return 0;
    }

    @Override
    public void write(int offset, int value, int lanes) {}

    @Override
    public void reset() {}
}
