package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.SharedMemory;
import dev.bascule.memory.Window;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The NIC's lines for one process, or for the kernel: memory of their own, which is all that the process can map.
 * <p>
 * Thread rule: any thread; each window belongs to one. Whoever made it closes it.
 */
public final class LineMemory implements AutoCloseable {
    private final SharedMemory memory;
    private final LinkedMemory linked;
    private final ProcessLayout layout;
    private final @Nullable Path file;

    private LineMemory(SharedMemory memory, ProcessLayout layout, long lineNanos, @Nullable Path file) {
        this.memory = memory;
        this.layout = layout;
        this.file = file;
        linked = new LinkedMemory(memory.pinned().slice(0, layout.sizeBytes()), null,
                LinkProfile.ZERO.withCoherentLine(lineNanos));
    }

    /** For threads of this process. */
    public static LineMemory local(ProcessLayout layout, long lineNanos) {
        return new LineMemory(SharedMemory.create("bascule-lines", layout.sizeBytes()), layout, lineNanos, null);
    }

    /** In a file that another process can map; goes with this object. */
    public static LineMemory create(Path file, ProcessLayout layout, long lineNanos) {
        return new LineMemory(SharedMemory.create(file, layout.sizeBytes()), layout, lineNanos, file);
    }

    /** What another process made. */
    public static LineMemory open(Path file, ProcessLayout layout, long lineNanos) {
        return new LineMemory(SharedMemory.open(file, layout.sizeBytes()), layout, lineNanos, null);
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
        if (file != null) {
            memory.unlink();
        }
    }
}
