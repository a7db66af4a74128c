package dev.bascule.rdma;

import dev.bascule.ffi.Verbs;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.SharedMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One side's copy of a mirrored region, and the connections that carry its stores to the others' copies. It lies in a
 * file, best on a memory file system, so that it outlives its process.
 * <p>
 * Thread rule: any thread; each opens a {@link MirrorWriter} of its own.
 */
final class Mirror implements AutoCloseable {
    private static final MirrorLink[] NONE = {};

    private final SharedMemory file;
    private Path path;
    private final PinnedMemory memory;
    private final MirrorShape shape;
    private final List<MirrorLink> all = new ArrayList<>();
    private final AtomicInteger writers = new AtomicInteger();
    private volatile MirrorLink[] links = NONE;

    private Mirror(SharedMemory file, Path path, MirrorShape shape) {
        this.file = file;
        this.path = path;
        memory = file.pinned();
        this.shape = shape;
    }

    /** A zeroed copy in a new file. */
    static Mirror create(Path file, MirrorShape shape) {
        return new Mirror(SharedMemory.create(file, shape.totalBytes()), file, shape);
    }

    /** The copy in a file that is there, which must have this shape. */
    static Mirror open(Path file, MirrorShape shape) {
        return new Mirror(SharedMemory.open(file, shape.totalBytes()), file, shape);
    }

    MirrorShape shape() {
        return shape;
    }

    PinnedMemory memory() {
        return memory;
    }

    long address() {
        return memory.address();
    }

    /** Memory that the adapter may reach: all that is mirrored. */
    MemorySegment reachable() {
        return memory.segment().asSlice(0, shape.mirroredBytes());
    }

    /** Stores of one more thread. */
    MirrorWriter writer() {
        return new MirrorWriter(this, writers.getAndIncrement());
    }

    /** NIC memory for the thread of {@code writer}; one thread of a side stores each of its words. */
    MirrorWindow nicMemory(MirrorWriter writer) {
        return new MirrorWindow(memory.slice(shape.nicAt(), shape.nicBytes()), writer, shape.nicAt(),
                shape.nicBytes(), true);
    }

    /**
     * Host memory for the thread of {@code writer}, at the host with the part that never leaves it. A host's threads take
     * turns at status words: what one has stored, and not fenced yet, another must not hold back.
     */
    MirrorWindow hostMemory(MirrorWriter writer) {
        return new MirrorWindow(memory.slice(shape.hostAt(), shape.sharedBytes() + shape.privateBytes()), writer,
                shape.hostAt(), shape.sharedBytes(), false);
    }

    /**
     * From now on stores leave over this connection, too. What was stored before is in the memory when this returns, and
     * what a thread stores meanwhile leaves over the connection as well: the full fence's partner is that in
     * {@link MirrorWriter#fence}.
     */
    synchronized void join(MirrorLink link) {
        all.add(link);
        links = all.toArray(NONE);
        VarHandle.fullFence();
    }

    synchronized void leave(MirrorLink link) {
        all.remove(link);
        links = all.toArray(NONE);
    }

    /** The connections that carry stores now. */
    MirrorLink[] links() {
        return links;
    }

    /**
     * The newest connection to an agent that has the copy; null if there is none: until it has, nobody decides over it, and
     * what lies there differs from the copy here for no other reason.
     */
    @Nullable
    MirrorLink linkOf(int agent) {
        MirrorLink[] now = links;
        for (int i = now.length - 1; i >= 0; i--) {
            if (now[i].agent() == agent && now[i].isUp() && now[i].hasCopy()) {
                return now[i];
            }
        }
        return null;
    }

    /** Registers the copy with a device, for as long as a connection of it lives. */
    Verbs.Region register(RdmaDevice device, int access) {
        return device.verbs().register(device.domain(), reachable(), access);
    }

    /** Zeroes all that is mirrored. No connection must carry anything into it. */
    void clear() {
        reachable().fill((byte) 0);
    }

    /** Gives the file this name, in place of any other file that had it. */
    synchronized void rename(Path to) throws IOException {
        Files.move(path, to, StandardCopyOption.ATOMIC_MOVE);
        path = to;
    }

    /** Removes the file. */
    synchronized void unlink() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException("remove " + path + ": " + e.getMessage(), e);
        }
    }

    /** Connections must be closed by then. */
    @Override
    public void close() {
        file.close();
    }
}
