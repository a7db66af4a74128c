package dev.bascule.workload;

import dev.bascule.memory.ScratchFolder;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether RocksDB can be used here. It is an optional dependency; nothing else in this package may be touched that
 * needs it before this class said yes.
 */
public final class RocksDbLibrary {
    private static final String INSTEAD = "; or run without it: --workload spin";

    private static boolean loaded;

    private RocksDbLibrary() {}

    /**
     * Problem that keeps RocksDB from working, for the user, with the remedy; empty when it works. Loads the library.
     */
    public static synchronized Optional<String> problem() {
        try {
            if (!loaded) {
                load();
                loaded = true;
            }
            return Optional.empty();
        } catch (ClassNotFoundException | NoSuchMethodException e) {
            return Optional.of("RocksDB's Java library (rocksdbjni) is not on the class path or module path; build with"
                    + " scripts/run, which fetches it" + INSTEAD);
        } catch (InvocationTargetException e) {
            return Optional.of(nativeProblem(e.getCause() == null ? e : e.getCause()));
        } catch (ReflectiveOperationException | IOException | LinkageError e) {
            return Optional.of(nativeProblem(e));
        }
    }

    /**
     * Has the native library unpacked into a folder that is removed as soon as it is loaded: what RocksDB unpacks by itself
     * (17 MB) would stay forever when the process is killed.
     */
    private static void load() throws ReflectiveOperationException, IOException {
        Class<?> loader = Class.forName("org.rocksdb.NativeLibraryLoader");
        Path base = Path.of(System.getProperty("java.io.tmpdir"));
        try (ScratchFolder folder = ScratchFolder.create(base, "bascule-lib-")) {
            Object instance = loader.getMethod("getInstance").invoke(null);
            loader.getMethod("loadLibrary", String.class).invoke(instance, folder.path().toString());
            Class.forName("org.rocksdb.RocksDB").getMethod("loadLibrary").invoke(null);
        }
    }

    private static String nativeProblem(Throwable cause) {
        return "RocksDB's native library does not load on " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch") + ": " + cause.getMessage() + "; it is unpacked into "
                + System.getProperty("java.io.tmpdir") + ", which must be writable and not mounted noexec"
                + " (another folder: -Djava.io.tmpdir=DIR)" + INSTEAD;
    }
}
