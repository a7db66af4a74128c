package dev.bascule.model.smartnic;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.DamagedFile;
import dev.bascule.memory.SharedMemory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** The files of a region in its run directory: {@code nic.mem}, {@code host.mem} and the host's lock. */
final class RegionFiles {
    static final String NIC_FILE = "nic.mem";
    static final String HOST_FILE = "host.mem";
    static final String LOCK_FILE = "host.lock";

    private RegionFiles() {}

    /** Takes the run directory for this host; it stays taken until the channel of the lock is closed. */
    static FileLock lock(Path directory) {
        String step = "take run directory";
        try {
            Files.createDirectories(directory);
            FileChannel channel = FileChannel.open(directory.resolve(LOCK_FILE), StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
            FileLock lock = tryLock(channel);
            if (lock == null) {
                channel.close();
                throw new DeviceException(step, directory.toString(), "another host process is using it",
                        "stop that process or choose another directory");
            }
            return lock;
        } catch (IOException e) {
            throw failed(step, directory, e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // this process holds it through another region
        }
    }

    /** Creates a zeroed file of this size under a temporary name and maps it; {@link #publish} gives it its name. */
    static SharedMemory create(Path directory, String name, long bytes) {
        Path file = temporary(directory, name);
        try {
            Files.deleteIfExists(file);
            return SharedMemory.create(file, bytes);
        } catch (NativeException e) {
            throw new DeviceException("create region of " + bytes + " bytes", file.toString(), e.errnoName(),
                    e.remedy(), e);
        } catch (IOException e) {
            throw failed("create region", file, e);
        }
    }

    /** Lets others find the file. A peer that has the old file open keeps it, and cannot disturb the new one. */
    static void publish(Path directory, String name) {
        try {
            Files.move(temporary(directory, name), directory.resolve(name), StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw failed("create region", directory.resolve(name), e);
        }
    }

    /** Keeps files that cannot be used under other names. */
    static void setAside(Path directory, String damage) {
        for (String name : new String[] { NIC_FILE, HOST_FILE }) {
            if (Files.exists(directory.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
                DamagedFile.setAside(directory.resolve(name), damage);
            }
        }
    }

    /** Maps an existing file; its header must still be read and believed or not. */
    static SharedMemory open(Path directory, String name) {
        Path file = directory.resolve(name);
        try {
            var attributes = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isRegularFile()) {
                throw RegionHeader.refused(file.toString(), "it is not a regular file");
            }
            if (attributes.size() < RegionLayout.PAGE) {
                throw RegionHeader.refused(file.toString(), "it is truncated: " + attributes.size() + " bytes");
            }
            return SharedMemory.open(file, attributes.size());
        } catch (NoSuchFileException e) {
            if (name.equals(HOST_FILE)) { // the other file is published after it
                throw RegionHeader.refused(file.toString(), "there is no such file");
            }
            throw new DeviceException("open region", file.toString(), "there is no such file",
                    "start the host side first, or name its run directory", e);
        } catch (IllegalArgumentException e) {
            throw RegionHeader.refused(file.toString(), String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw failed("open region", file, e);
        }
    }

    /** Removes what {@link #create} made; a file that is gone already is fine. */
    static void delete(Path directory) {
        for (String name : new String[] { NIC_FILE, HOST_FILE, LOCK_FILE }) {
            try {
                Files.deleteIfExists(directory.resolve(name));
            } catch (IOException e) {
                System.getLogger(RegionFiles.class.getName()).log(System.Logger.Level.WARNING,
                        "cannot remove " + directory.resolve(name), e);
            }
        }
    }

    private static Path temporary(Path directory, String name) {
        return directory.resolve(name + ".new");
    }

    private static DeviceException failed(String step, Path file, IOException cause) {
        return new DeviceException(step, file.toString(), String.valueOf(cause.getMessage()),
                "check that the directory exists and belongs to you", cause);
    }
}
