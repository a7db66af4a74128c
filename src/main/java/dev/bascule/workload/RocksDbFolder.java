package dev.bascule.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The folder of a database: the user's, which is kept, or a temporary one, which goes at exit and on Ctrl-C. */
final class RocksDbFolder implements AutoCloseable {
    private final Path path;
    private final @Nullable Thread removal;

    private RocksDbFolder(Path path, @Nullable Thread removal) {
        this.path = path;
        this.removal = removal;
    }

    /** A temporary folder. */
    static RocksDbFolder temporary() {
        try {
            Path path = Files.createTempDirectory("bascule-rocksdb-");
            Thread removal = new Thread(() -> removeAll(path), "remove " + path);
            Runtime.getRuntime().addShutdownHook(removal);
            return new RocksDbFolder(path, removal);
        } catch (IOException e) {
            throw new WorkloadException("cannot create a temporary folder for RocksDB in "
                    + System.getProperty("java.io.tmpdir") + ": " + e + "; name a folder with --db DIR", e);
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
        if (removal == null) {
            return;
        }
        removeAll(path);
        try {
            Runtime.getRuntime().removeShutdownHook(removal);
        } catch (IllegalStateException e) {
            // Already shutting down: the hook runs anyway and finds nothing.
        }
    }

    /** A live database may add a file meanwhile, hence three attempts. */
    private static void removeAll(Path root) {
        for (int attempt = 0; attempt < 3 && Files.exists(root); attempt++) {
            try (Stream<Path> tree = Files.walk(root)) {
                List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
                for (Path each : deepestFirst) {
                    Files.deleteIfExists(each);
                }
            } catch (IOException | java.io.UncheckedIOException e) {
                // Tried again; what stays is a temporary file in the system's folder for such files.
            }
        }
    }
}
