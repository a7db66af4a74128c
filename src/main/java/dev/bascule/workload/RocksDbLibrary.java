package dev.bascule.workload;

import java.lang.reflect.InvocationTargetException;
import java.util.Optional;

/**
 * Whether RocksDB can be used here. It is an optional dependency; nothing else in this package may be touched that
 * needs it before this class said yes.
 */
public final class RocksDbLibrary {
    private static final String INSTEAD = "; or run without it: --workload spin";

    private RocksDbLibrary() {}

    /** What keeps RocksDB from working, for the user, with the remedy; empty when it works. Loads the library. */
    public static Optional<String> problem() {
        try {
            Class.forName("org.rocksdb.RocksDB").getMethod("loadLibrary").invoke(null);
            return Optional.empty();
        } catch (ClassNotFoundException | NoSuchMethodException e) {
            return Optional.of("RocksDB's Java library (rocksdbjni) is not on the class path or module path; build with"
                    + " scripts/run, which fetches it" + INSTEAD);
        } catch (InvocationTargetException e) {
            return Optional.of(nativeProblem(e.getCause() == null ? e : e.getCause()));
        } catch (ReflectiveOperationException | LinkageError e) {
            return Optional.of(nativeProblem(e));
        }
    }

    private static String nativeProblem(Throwable cause) {
        return "RocksDB's native library does not load on " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch") + ": " + cause.getMessage() + "; it is unpacked into "
                + System.getProperty("java.io.tmpdir") + ", which must be writable and not mounted noexec"
                + " (another folder: -Djava.io.tmpdir=DIR)" + INSTEAD;
    }
}
