package dev.bascule.model.enso;

import dev.bascule.device.DmaAccess;
import dev.bascule.nic.enso.EnsoFormats;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Host memory through the device SPI. No allocation per access; accesses are at most one burst long. */
final class DmaHostPort implements HostPort {
    private final DmaAccess dma;
    private final EnsoObserver observer;
    private final MemorySegment staging = Arena.ofAuto()
            .allocate((long) EnsoFormats.MAX_BURST_FLITS * EnsoFormats.FLIT_BYTES, EnsoFormats.FLIT_BYTES);

    DmaHostPort(DmaAccess dma, EnsoObserver observer) {
        this.dma = dma;
        this.observer = observer;
    }

    @Override
    public boolean write(long address, byte[] data, int offset, int lengthBytes) {
        MemorySegment.copy(data, offset, staging, ValueLayout.JAVA_BYTE, 0, lengthBytes);
        return dma.write(address, staging, 0, lengthBytes);
    }

    @Override
    public boolean read(long address, byte[] into, int offset, int lengthBytes) {
        boolean read = dma.read(address, staging, 0, lengthBytes);
        if (read) {
            MemorySegment.copy(staging, ValueLayout.JAVA_BYTE, 0, into, offset, lengthBytes);
        }
        return read;
    }

    @Override
    public void entriesRequested(long address, int lengthBytes) {
        observer.read(EnsoTransfer.ENTRIES, lengthBytes);
    }

    @Override
    public void dataRequested(long address, int lengthBytes) {
        observer.read(EnsoTransfer.DATA, lengthBytes);
    }

    @Override
    public void wrote(EnsoTransfer kind, int lengthBytes) {
        observer.written(kind, lengthBytes);
    }
}
