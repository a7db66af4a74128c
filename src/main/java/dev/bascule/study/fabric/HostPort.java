package dev.bascule.study.fabric;

import java.util.function.BiConsumer;

/** The root complex: host memory, the CPU's accesses to devices, and its end of streams. */
public final class HostPort extends Port {
    private final HostMemory memory;
    private BiConsumer<Integer, byte[]> received = (stream, data) -> {};
    private long cpuActions;

    HostPort(Fabric fabric, int memoryBytes) {
        super(fabric, 0, "host");
        memory = new HostMemory(memoryBytes);
    }

    /** Host memory. */
    HostMemory memory() {
        return memory;
    }

    /** Sets the taker of items that end at the host. */
    public void onItem(BiConsumer<Integer, byte[]> taker) {
        received = taker;
    }

    /** Things the CPU has done so far: doorbells, descriptors, completions looked at, pushes. */
    public long cpuActions() {
        return cpuActions;
    }

    void acted() {
        cpuActions++;
    }

    /** The CPU writes 8 bytes to a device's register. */
    void mmioWrite(long address, long value) {
        acted();
        fabric().write(this, time().now(), address, Bytes.of(value), 0, Long.BYTES, Traffic.Kind.MMIO_WRITE);
    }

    /**
     * CPU push: one write to the root complex has the fabric deliver bytes of host memory into a stream, in half a round
     * trip. False if the stream has no credit.
     */
    public boolean push(int stream, byte[] data, int offset, int lengthBytes) {
        if (!fabric().streams().take(stream, this)) {
            return false;
        }
        acted();
        fabric().write(this, time().now(), fabric().streams().sourceWindow(stream) | Streams.END, data, offset,
                lengthBytes, Traffic.Kind.DMA_WRITE);
        return true;
    }

    /** An item of a stream is to end here. */
    void deliver(Item item) {
        byte[] data = item.whole();
        time().at(down().send(time().now(), data.length), _ -> {
            received.accept(item.stream(), data);
            fabric().streams().left(item);
            fabric().streams().ended(item);
        });
    }
}
