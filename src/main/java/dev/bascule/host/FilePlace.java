package dev.bascule.host;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.DamagedFile;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.SharedMemory;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/** One shared file of a run directory, which is coherent memory for both sides. */
public final class FilePlace implements Place {
    private static final String FILE = "local.mem";
    private static final String LOCK = "local.lock";

    private final Path directory;
    private final boolean keep;
    private @Nullable SharedMemory memory;
    private @Nullable DirectoryLock lock;

    /**
     * In a directory that exists.
     *
     * @param keep leave the region in place on close, so that a later host can take it over
     */
    public FilePlace(Path directory, boolean keep) {
        this.directory = directory;
        this.keep = keep;
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public RegionLinks lay(Protocol protocol, EnclaveShape shape, @Nullable String damage) {
        long size = protocol.sizes(shape).nicBytes();
        Path file = directory.resolve(FILE);
        if (lock == null) {
            lock = DirectoryLock.take(directory, LOCK); // two hosts on one region would scribble over each other
        }
        SharedMemory former = memory;
        if (former != null && damage != null) {
            former.close();
        }
        String why = damage == null && Files.exists(file) ? damage(file, protocol) : damage;
        if (why != null) {
            DamagedFile.setAside(file, why);
        }
        SharedMemory opened = Files.exists(file) ? SharedMemory.open(file, size) : SharedMemory.create(file, size);
        memory = opened;
        return RegionLinks.of(new PinnedWindow(opened.pinned()), Collections.nCopies(shape.cpus(), Waiter.NAPS));
    }

    /** Damage of the region that a former host left; null if it is whole, whatever its shape. */
    private static @Nullable String damage(Path file, Protocol protocol) {
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                return null; // not ours to rename; it is refused
            }
            long bytes = Files.size(file);
            if (bytes == 0) {
                return "it is empty";
            }
            try (SharedMemory memory = SharedMemory.open(file, bytes)) {
                return damage(memory.pinned(), protocol);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("open region " + file + ": " + e.getMessage(), e);
        }
    }

    private static @Nullable String damage(PinnedMemory memory, Protocol protocol) {
        long bytes = memory.sizeBytes();
        if (bytes < RegionLayout.HEADER + 64) {
            return "it is cut off at " + bytes + " bytes";
        }
        try {
            long whole = protocol.sizes(RegionHeader.read(new PinnedWindow(memory), RegionLayout.HEADER,
                    protocol.kind()).shape()).nicBytes();
            return bytes == whole ? null : "it has " + bytes + " of " + whole + " bytes";
        } catch (AgentException | IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Whether a host that uses such a region has one in the directory. */
    static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    @Override
    public AgentLinks find(Protocol protocol, int agent) {
        SharedMemory region = memory;
        if (region == null) {
            region = openExisting(protocol);
            memory = region;
        }
        PinnedWindow window = new PinnedWindow(region.pinned());
        return new AgentLinks(window, window, region.pinned().segment(), Doorbell.NONE);
    }

    private SharedMemory openExisting(Protocol protocol) {
        Path file = directory.resolve(FILE);
        if (!isIn(directory) && LoopbackPlace.isIn(directory)) {
            throw RegionHeader.wrongTransport(LoopbackPlace.kindIn(directory), protocol.kind());
        }
        try {
            return SharedMemory.open(file, Files.size(file));
        } catch (IOException | IllegalArgumentException e) {
            String why = e instanceof NoSuchFileException ? "there is no such file" : e.getMessage();
            throw new AgentException(
                    "attach to " + file + ": " + why
                            + "; start the host first and name its run directory with --attach",
                    e);
        }
    }

    @Override
    public void close() {
        SharedMemory region = memory;
        memory = null;
        DirectoryLock held = lock;
        lock = null;
        if (region != null) {
            if (held != null && !keep) {
                region.unlink();
            }
            region.close();
        }
        if (held != null) {
            if (!keep) {
                held.forget();
            }
            held.close();
        }
    }
}
