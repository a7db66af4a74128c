package dev.bascule.host;

import dev.bascule.device.DeviceException;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.SharedMemory;
import dev.bascule.memory.Window;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The host's own memory of a region, which a card reaches by DMA: a file of the run directory, so that a later host finds
 * it. Its first page begins with the handshake's cookie, and is otherwise empty.
 */
final class HostMemory implements AutoCloseable {
    private static final String FILE = "host.mem";

    private final Path file;
    private final SharedMemory memory;

    private HostMemory(Path file, SharedMemory memory) {
        this.file = file;
        this.memory = memory;
    }

    /**
     * Opens the memory that a former host left, if it has this size, else makes it anew: this many bytes behind the
     * first page.
     */
    static HostMemory open(Path directory, long bytes) {
        Path file = directory.resolve(FILE);
        long size = Handshake.PAGE + bytes;
        try {
            if (Files.exists(file) && Files.size(file) == size) {
                return new HostMemory(file, SharedMemory.open(file, size));
            }
            Files.deleteIfExists(file);
            return new HostMemory(file, SharedMemory.create(file, size));
        } catch (IOException | IllegalArgumentException | NativeException e) {
            throw new DeviceException("make host memory", file.toString(),
                    String.valueOf(e.getMessage()), "name another directory with --region", e);
        }
    }

    long cookie() {
        return window(0, 64).loadAcquire(0);
    }

    void cookie(long value) {
        window(0, 64).storeRelease(0, value);
    }

    /** Everything behind the first page. */
    Window window() {
        return window(Handshake.PAGE, memory.sizeBytes() - Handshake.PAGE);
    }

    private Window window(long from, long bytes) {
        return new PinnedWindow(memory.pinned().slice(from, bytes));
    }

    void clear() {
        memory.segment().fill((byte) 0);
    }

    /**
     * Gives a card the first page and so much behind it.
     *
     * @throws DeviceException if the kernel does not pin it
     */
    Iova offer(HostCard card, long bytes) {
        try {
            return card.offer(new MappableMemory(memory.segment().asSlice(0, Handshake.PAGE + bytes),
                    memory.fileDescriptor(), 0));
        } catch (DeviceException e) {
            if (Libc.fileSystem(file.toString()).magic() == Linux.TMPFS_MAGIC) {
                throw e;
            }
            throw new DeviceException("give the card host memory", file.toString(), "it is on a disk, whose pages the"
                    + " kernel does not pin: " + e.getMessage(),
                    "name a directory of a memory file system: --region /dev/shm/mine", e);
        }
    }

    /** Removes the file. */
    void forget() {
        memory.unlink();
    }

    @Override
    public void close() {
        memory.close();
    }
}
