package dev.bascule.nic.enso;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.memory.Hugepages;
import dev.bascule.memory.MirroredBuffer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ring of one pipe: pages mapped twice in a row for the CPU and, where it sends, twice in a row for the device too,
 * so that neither ever splits a batch. Control path; one owner.
 */
final class PipeMemory implements AutoCloseable {
    private static final int TRIES = 16;

    private final AddressSpace space;
    private final MirroredBuffer ring;
    private final Iova iova;
    private final @Nullable Iova second;

    private PipeMemory(AddressSpace space, MirroredBuffer ring, Iova iova, @Nullable Iova second) {
        this.space = space;
        this.ring = ring;
        this.iova = iova;
        this.second = second;
    }

    static PipeMemory allocate(AddressSpace space, String name, long sizeBytes, boolean hugepages, boolean sends) {
        MirroredBuffer ring = hugepages
                ? MirroredBuffer.createHuge(name, sizeBytes, Hugepages.SIZE_2M)
                : MirroredBuffer.create(name, sizeBytes);
        try {
            MappableMemory once = new MappableMemory(ring.segment().asSlice(0, sizeBytes), ring.fileDescriptor(), 0);
            if (!sends) {
                return new PipeMemory(space, ring, space.map(once, DmaDirection.BOTH), null);
            }
            Iova iova = mapTwice(space, once, sizeBytes);
            return new PipeMemory(space, ring, iova, iova.plus(sizeBytes));
        } catch (RuntimeException e) {
            ring.close();
            throw e;
        }
    }

    /** Twice in a row, where the address space allows; places with too little room behind them are kept meanwhile. */
    private static Iova mapTwice(AddressSpace space, MappableMemory memory, long sizeBytes) {
        List<Iova> tooSmall = new ArrayList<>();
        try {
            DeviceException last = null;
            for (int i = 0; i < TRIES; i++) {
                Iova first = space.map(memory, DmaDirection.BOTH);
                try {
                    space.mapAt(first.plus(sizeBytes), memory, DmaDirection.BOTH);
                    return first;
                } catch (DeviceException e) {
                    last = e;
                    tooSmall.add(first);
                }
            }
            throw new DeviceException("map a ring twice for DMA", sizeBytes + " bytes",
                    "no place with as much room behind it after " + TRIES + " tries", "unmap something, or use smaller "
                            + "rings",
                    last);
        } finally {
            tooSmall.forEach(space::unmap);
        }
    }

    /** Twice the ring. */
    MemorySegment segment() {
        return ring.segment();
    }

    long sizeBytes() {
        return ring.sizeBytes();
    }

    /** Where the device finds its start. */
    long iova() {
        return iova.value();
    }

    @Override
    public void close() {
        if (second != null) {
            space.unmap(second);
        }
        space.unmap(iova);
        ring.close();
    }
}
