package dev.bascule.nic;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A pipe of plain memory that a test fills. */
final class PipeStub implements RxPipe {
    private final MemorySegment memory;
    private long arrived;
    private long confirmed;

    /** @param ringBytes its size; nothing wraps */
    PipeStub(long ringBytes) {
        memory = Arena.ofAuto().allocate(2 * ringBytes, 64);
    }

    /** Adds {@code lengthBytes} whose first byte is {@code first}. */
    PipeStub arrive(int first, int lengthBytes) {
        memory.set(ValueLayout.JAVA_BYTE, arrived, (byte) first);
        arrived += lengthBytes;
        return this;
    }

    @Override
    public int id() {
        return 0;
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public long capacityBytes() {
        return memory.byteSize() / 2 - QUANTUM_BYTES;
    }

    @Override
    public long peek() {
        return arrived - confirmed;
    }

    @Override
    public long offset() {
        return confirmed;
    }

    @Override
    public void confirm(long lengthBytes) {
        confirmed += lengthBytes;
    }

    @Override
    public void free(long lengthBytes) {}

    @Override
    public long heldBytes() {
        return confirmed;
    }

    @Override
    public void prefetch() {}
}
