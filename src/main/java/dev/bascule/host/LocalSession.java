package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.EpochsUsedException;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.Succession;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.DamagedFile;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.memory.SharedMemory;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The on-host transport over one shared file of a run directory. */
public final class LocalSession implements TransportSession {
    /** Name of the transport. */
    public static final String NAME = "on-host";
    private static final String FILE = "local.mem";
    private static final String LOCK = "local.lock";
    private static final String RUN_PREFIX = "bascule-";
    private static final Path SHARED = Path.of("/dev/shm");

    private final Path directory;
    private final boolean keep;
    private @Nullable SharedMemory memory;
    private @Nullable DirectoryLock lock;
    private boolean owner;

    /**
     * A session in a directory that exists.
     *
     * @param keep leave the region in place on close, so that a later host can take it over
     */
    public LocalSession(Path directory, boolean keep) {
        this.directory = directory;
        this.keep = keep;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public MechanismEnd openHost(EnclaveShape shape) {
        long size = LocalHost.sizeBytes(shape);
        Path file = directory.resolve(FILE);
        lock = DirectoryLock.take(directory, LOCK); // two hosts on one region would scribble over each other
        owner = true;
        memory = Files.exists(file) ? takeOver(file, size) : SharedMemory.create(file, size);
        try {
            return LocalHost.open(memory.pinned(), shape, Waiter.NAPS);
        } catch (EpochsUsedException e) {
            memory.close();
            DamagedFile.setAside(file, String.valueOf(e.getMessage()));
            memory = SharedMemory.create(file, size);
            return LocalHost.open(memory.pinned(), shape, Waiter.NAPS);
        }
    }

    /** Opens the memory that a former host left. If that is damaged, it is kept beside a new one. */
    private static SharedMemory takeOver(Path file, long size) {
        String damage = damage(file);
        if (damage == null) {
            return SharedMemory.open(file, size);
        }
        DamagedFile.setAside(file, damage);
        return SharedMemory.create(file, size);
    }

    private static @Nullable String damage(Path file) {
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                return null; // not ours to rename; it is refused
            }
            long bytes = Files.size(file);
            if (bytes == 0) {
                return "it is empty";
            }
            try (SharedMemory memory = SharedMemory.open(file, bytes)) {
                return LocalHost.damage(memory.pinned());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("open region " + file + ": " + e.getMessage(), e);
        }
    }

    @Override
    public AgentEnd attach(int agent) {
        return LocalAgent.attach(region().pinned(), agent, nonce(), Doorbell.NONE);
    }

    @Override
    public Succession succeed(int agent) {
        return LocalAgent.succeed(region().pinned(), agent, nonce());
    }

    private SharedMemory region() {
        SharedMemory region = memory;
        if (region == null) {
            region = openExisting();
            memory = region;
        }
        return region;
    }

    /** Whether a host that uses this transport has its region in the directory. */
    static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    private SharedMemory openExisting() {
        Path file = directory.resolve(FILE);
        if (!isIn(directory) && SessionRegion.isIn(directory)) {
            throw RegionHeader.wrongTransport(SessionRegion.kindIn(directory), RegionHeader.LOCAL);
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

    static long nonce() {
        return ProcessHandle.current().pid() << 32 ^ System.nanoTime();
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public void close() {
        SharedMemory region = memory;
        memory = null;
        if (region != null) {
            if (owner && !keep) {
                region.unlink();
            }
            region.close();
        }
        DirectoryLock held = lock;
        lock = null;
        if (held != null) {
            if (!keep) {
                held.forget();
            }
            held.close();
        }
    }

    /** Makes a run directory of its own on the memory file system, for this user only; it goes when this process ends. */
    public static ScratchFolder newRunDirectory() {
        Path base = Files.isWritable(SHARED) ? SHARED : temporary();
        try {
            return ScratchFolder.create(base, RUN_PREFIX);
        } catch (IOException e) {
            throw new UncheckedIOException("make run directory in " + base + ": " + e.getMessage()
                    + "; free some space there: df -h " + base, e);
        }
    }

    /** Removes run directories and temporary databases that killed processes of this user left; returns how many. */
    public static int removeLeftovers() {
        int removed = ScratchFolder.removeLeftovers(SHARED, RUN_PREFIX);
        return removed + ScratchFolder.removeLeftovers(temporary(), RUN_PREFIX);
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }
}
