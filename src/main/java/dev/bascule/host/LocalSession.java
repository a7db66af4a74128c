package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.SharedMemory;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The on-host transport over one shared file of a run directory. */
public final class LocalSession implements TransportSession {
    /** Name of the transport. */
    public static final String NAME = "on-host";
    private static final String FILE = "local.mem";

    private final Path directory;
    private final boolean keep;
    private @Nullable SharedMemory memory;
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
        owner = true;
        memory = Files.exists(file) ? SharedMemory.open(file, size) : SharedMemory.create(file, size);
        return new LocalHost(memory.pinned(), shape, Waiter.NAPS);
    }

    @Override
    public AgentEnd attach(int agent) {
        SharedMemory region = memory;
        if (region == null) {
            region = openExisting();
            memory = region;
        }
        return new LocalAgent(region.pinned(), agent, nonce(), Doorbell.NONE);
    }

    private SharedMemory openExisting() {
        Path file = directory.resolve(FILE);
        try {
            return SharedMemory.open(file, Files.size(file));
        } catch (IOException e) {
            throw new AgentException("attach to " + file + ": " + e.getMessage()
                    + "; start the host first and name its run directory with --attach", e);
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
        if (region == null) {
            return;
        }
        if (owner && !keep) {
            region.unlink();
        }
        region.close();
    }

    /** Makes a run directory of its own on the memory file system, for this user only. */
    public static Path newRunDirectory() {
        Path base = Path.of("/dev/shm");
        try {
            return Files.isWritable(base)
                    ? Files.createTempDirectory(base, "bascule-")
                    : Files.createTempDirectory("bascule-");
        } catch (IOException e) {
            throw new UncheckedIOException("make run directory: " + e.getMessage()
                    + "; free some space in /dev/shm or /tmp", e);
        }
    }
}
