package dev.bascule.workload;

import dev.bascule.memory.ScratchFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The folder of a database: the user's, which is kept, or a temporary one, which goes at exit and on Ctrl-C. */
final class RocksDbFolder implements AutoCloseable {
    private final Path path;
    private final @Nullable ScratchFolder scratch;

    private RocksDbFolder(Path path, @Nullable ScratchFolder scratch) {
        this.path = path;
        this.scratch = scratch;
    }

    /** A temporary folder. */
    static RocksDbFolder temporary() {
        Path base = Path.of(System.getProperty("java.io.tmpdir"));
        try {
            ScratchFolder scratch = ScratchFolder.create(base, "bascule-rocksdb-");
            return new RocksDbFolder(Files.createDirectory(scratch.path().resolve("db")), scratch);
        } catch (IOException e) {
            throw new WorkloadException("cannot create a temporary folder for RocksDB in " + base + ": " + e
                    + "; name a folder with --db DIR", e);
        }
    }

    /** The user's folder, created when it is not there. Refused when it holds something that is no database. */
    static RocksDbFolder of(Path path) {
        if (Files.exists(path) && !Files.isDirectory(path)) {
            throw new WorkloadException("--db " + path + " is a file; give a folder", null);
        }
        try {
            Files.createDirectories(path);
        } catch (IOException e) {
            throw new WorkloadException("cannot create the folder " + path + ": " + e, e);
        }
        RocksDbFolder folder = new RocksDbFolder(path, null);
        if (!folder.isEmpty() && !folder.holdsDatabase()) {
            throw new WorkloadException(
                    "--db " + path + " holds other files and no RocksDB; give an empty or a new folder", null);
        }
        if (!Files.isWritable(path)) {
            throw new WorkloadException("not allowed to write to --db " + path + " (EACCES); try: chmod u+w " + path,
                    null);
        }
        return folder;
    }

    Path path() {
        return path;
    }

    boolean isEmpty() {
        try (Stream<Path> files = Files.list(path)) {
            return files.findAny().isEmpty();
        } catch (IOException e) {
            throw new WorkloadException("cannot list " + path + ": " + e + "; try: chmod u+rx " + path, e);
        }
    }

    /** Whether there is a RocksDB here, anybody's: its file CURRENT names the live manifest. */
    boolean holdsDatabase() {
        return Files.exists(path.resolve("CURRENT"));
    }

    /** Removes a temporary folder; the database in it must be closed. */
    @Override
    public void close() {
        if (scratch != null) {
            scratch.close();
        }
    }
}
