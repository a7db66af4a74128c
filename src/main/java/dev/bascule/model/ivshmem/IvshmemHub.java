package dev.bascule.model.ivshmem;

import dev.bascule.device.DevicePort;
import dev.bascule.memory.SharedMemory;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Hub of the peers of one process, which share its memory and its doorbells. The counterpart of {@link IvshmemServer}
 * for models. Thread-safe. Closing it frees the memory; the peers must be closed before.
 */
public final class IvshmemHub implements AutoCloseable {
    private final SharedMemory memory;
    private final int vectors;
    private final Map<Integer, IvshmemModel> peers = new TreeMap<>();

    /**
     * A hub without peers.
     *
     * @param memoryBytes a power of two
     * @param vectors interrupts of each peer, at most 64
     */
    public IvshmemHub(long memoryBytes, int vectors) {
        if (Long.bitCount(memoryBytes) != 1 || vectors < 1 || vectors > 64) {
            throw new IllegalArgumentException("memory of " + memoryBytes + " bytes with " + vectors + " vectors");
        }
        this.memory = SharedMemory.create("ivshmem", memoryBytes);
        this.vectors = vectors;
    }

    /** A new peer with the lowest free number. */
    public synchronized IvshmemModel peer() {
        int number = 0;
        while (peers.containsKey(number)) {
            number++;
        }
        IvshmemModel made = new IvshmemModel(this, number);
        peers.put(number, made);
        return made;
    }

    SharedMemory memory() {
        return memory;
    }

    int vectors() {
        return vectors;
    }

    /** A doorbell to a peer or vector that does not exist does nothing. */
    void ring(int peer, int vector) {
        @Nullable
        IvshmemModel to;
        synchronized (this) {
            to = peers.get(peer);
        }
        DevicePort port = to == null ? null : to.port();
        if (port != null && vector < vectors) {
            port.raise(vector);
        }
    }

    synchronized void leave(IvshmemModel peer) {
        peers.remove(peer.position(), peer);
    }

    @Override
    public void close() {
        memory.close();
    }
}
