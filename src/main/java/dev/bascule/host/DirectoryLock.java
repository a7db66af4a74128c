package dev.bascule.host;

import dev.bascule.agent.AgentException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps two hosts from one run directory; the kernel gives it back when the process ends. Thread rule: its owner's. */
final class DirectoryLock implements AutoCloseable {
    private final Path file;
    private final FileChannel channel;
    private boolean keep = true;

    private DirectoryLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Takes the directory.
     *
     * @param name of the lock's file
     * @throws AgentException if another host has it
     */
    static DirectoryLock take(Path directory, String name) {
        Path file = directory.resolve(name);
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isLocked(channel)) {
                channel.close();
                throw new AgentException(
                        "take run directory " + directory + ": another host process is using it; stop that"
                                + " process (fuser " + file + " names it) or name another directory with --region");
            }
            return new DirectoryLock(file, channel);
        } catch (IOException e) {
            throw new UncheckedIOException("take run directory " + directory + ": " + e.getMessage()
                    + "; check that it exists and belongs to you", e);
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // by another session of this process
        }
    }

    /** The lock's file goes with the lock. */
    void forget() {
        keep = false;
    }

    @Override
    public void close() {
        try (FileChannel held = channel) {
            if (!keep && held.isOpen()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("give the run directory of " + file + " up: " + e.getMessage(), e);
        }
    }
}
