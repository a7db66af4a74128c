package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.SharedMemory;
import dev.bascule.memory.Window;

/**
 * The NIC's lines for one process, or for the kernel: memory of their own, which is all that the process can map.
 * <p>
 * Thread rule: any thread; each window belongs to one. Whoever made it closes it.
 */
public final class LineMemory implements AutoCloseable {
    private final SharedMemory memory;
    private final LinkedMemory linked;
    private final ProcessLayout layout;

    private LineMemory(SharedMemory memory, ProcessLayout layout, long lineNanos) {
        this.memory = memory;
        this.layout = layout;
        linked = new LinkedMemory(memory.pinned().slice(0, layout.sizeBytes()), null,
                LinkProfile.ZERO.withCoherentLine(lineNanos));
    }

    /** For threads of this process, or for another one that gets the {@link #descriptor}: nobody can cut it. */
    public static LineMemory create(ProcessLayout layout, long lineNanos) {
        return new LineMemory(SharedMemory.create("bascule-lines", layout.sizeBytes()), layout, lineNanos);
    }

    /**
     * Adopts memory that another process made and sent.
     *
     * @param descriptor becomes this object's, also on failure
     * @throws IllegalArgumentException if its size is another one, or it can be cut
     */
    public static LineMemory adopt(int descriptor, ProcessLayout layout, long lineNanos) {
        return new LineMemory(SharedMemory.adopt(descriptor, layout.sizeBytes()), layout, lineNanos);
    }

    /** Descriptor that another process maps; stays this object's. */
    public int descriptor() {
        return memory.fileDescriptor();
    }

    /** Where what lies in it. */
    public ProcessLayout layout() {
        return layout;
    }

    /** A window of a core, which pays for lines that the NIC changed. */
    public Window cpu() {
        return linked.host(MemoryType.WB, 0);
    }

    /** A window of the NIC, or of the kernel onto gates. */
    public Window nic() {
        return linked.owner();
    }

    @Override
    public void close() {
        memory.close();
    }
}
