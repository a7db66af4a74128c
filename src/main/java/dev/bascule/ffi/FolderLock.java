package dev.bascule.ffi;

import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A lock on a folder by {@code flock}, which leaves no file behind and which the kernel gives back when the process ends.
 * It keeps those apart, in this process and in others, that look at a name in the folder and then change it. Anybody who
 * may read the folder can keep its lock, so nobody is kept out by it for long: after a second it goes on without.
 */
final class FolderLock implements AutoCloseable {
    private static final long PAUSE_NANOS = 1_000_000;
    private static final long PATIENCE_NANOS = 1_000_000_000L;

    private final @Nullable Fd folder;

    private FolderLock(@Nullable Fd folder) {
        this.folder = folder;
    }

    /** Locks the folder of a file; not one that this process may not read, and none that is not there. */
    static FolderLock of(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        Fd folder;
        try {
            folder = Libc.open(String.valueOf(parent), Linux.O_RDONLY | Linux.O_NONBLOCK);
        } catch (NativeException e) {
            return new FolderLock(null); // what comes next says what is wrong with it
        }
        lock(folder);
        return new FolderLock(folder);
    }

    private static void lock(Fd folder) {
        Patience patience = new Patience(PATIENCE_NANOS);
        while (!patience.isOver()) {
            try {
                if (folder.tryLock()) {
                    return;
                }
            } catch (NativeException e) {
                return; // a file system without such locks
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    @Override
    public void close() {
        if (folder != null) {
            folder.close();
        }
    }
}
