package dev.bascule.model.enso;

/**
 * Sees every DMA access as it leaves the device: one call per write and per read request, before the link cuts them to
 * its payload size. Called with the device busy; must not call back.
 */
public interface EnsoObserver {
    /** Ignores everything. */
    EnsoObserver NONE = new EnsoObserver() {
        @Override
        public void written(EnsoTransfer kind, int lengthBytes) {}

        @Override
        public void read(EnsoTransfer kind, int lengthBytes) {}
    };

    /** The device wrote to host memory. */
    void written(EnsoTransfer kind, int lengthBytes);

    /** The device asked for host memory. */
    void read(EnsoTransfer kind, int lengthBytes);
}
