package dev.bascule.memory;

import dev.bascule.ffi.Libc;
import dev.bascule.ffi.ProcessMark;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A temporary folder of this process, for this user only. It is removed by {@link #close}, at exit and on Ctrl-C. A
 * process that is killed leaves its folder behind; a file {@code owner} in it names the process, so that a later one can
 * {@linkplain #removeLeftovers remove} it.
 * <p>
 * Thread rule: any thread.
 */
public final class ScratchFolder implements AutoCloseable {
    /** Name of the file that says whose the folder is. */
    public static final String OWNER_FILE = "owner";

    private static final int ATTEMPTS = 3;

    private final Path path;
    private final Thread removal;
    private final Set<Path> kept = ConcurrentHashMap.newKeySet();

    private ScratchFolder(Path path) {
        this.path = path;
        removal = new Thread(this::removeOwn, "remove " + path);
    }

    /**
     * A new folder.
     *
     * @param base existing folder to make it in
     * @param prefix how its name begins
     * @throws IOException if it cannot be made; the message names the folder
     */
    public static ScratchFolder create(Path base, String prefix) throws IOException {
        ScratchFolder folder = new ScratchFolder(Files.createTempDirectory(base, prefix));
        Runtime.getRuntime().addShutdownHook(folder.removal);
        Files.writeString(folder.path.resolve(OWNER_FILE), ProcessMark.own().line() + "\n");
        return folder;
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /** Keeps a file, with the folder, until a later process {@linkplain #removeLeftovers clears up}. */
    public void keep(String name) {
        kept.add(path.resolve(name));
    }

    private void removeOwn() {
        remove(path, kept);
    }

    /** Removes the folder with all that is in it but what is {@linkplain #keep kept}; idempotent. */
    @Override
    public void close() {
        removeOwn();
        try {
            Runtime.getRuntime().removeShutdownHook(removal);
        } catch (IllegalStateException e) {
            // already shutting down: the hook runs anyway and finds nothing
        }
    }

    /**
     * Removes scratch folders of this user whose processes have ended. Folders of others, without an owner's file, or of
     * processes that cannot be seen from here (another container's) stay.
     *
     * @param base folder to look in; harmless if it does not exist
     * @param prefix how their names begin
     * @return how many were removed
     */
    public static int removeLeftovers(Path base, String prefix) {
        int removed = 0;
        try (Stream<Path> entries = Files.list(base)) {
            for (Path entry : entries.filter(path -> path.getFileName().toString().startsWith(prefix)).toList()) {
                removed += isLeftover(entry) && remove(entry, Set.of()) ? 1 : 0;
            }
        } catch (IOException | UncheckedIOException e) {
            // what cannot be listed cannot be cleaned; it is no reason not to start
        }
        return removed;
    }

    /** Only folders of this very user, root included: in another's folder names may change under our hands. */
    private static boolean isLeftover(Path folder) {
        try {
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) || !Integer.valueOf(Libc.effectiveUserId())
                    .equals(Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
                return false;
            }
            ProcessMark owner = ProcessMark.parse(Files.readString(folder.resolve(OWNER_FILE)));
            return owner != null && owner.isGone();
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    /**
     * Removes a tree, the owner's file and the root last, so that a removal cut short can be taken up again. A database or
     * an agent that is just ending may add a file meanwhile, hence several attempts.
     */
    private static boolean remove(Path root, Set<Path> kept) {
        Path owner = root.resolve(OWNER_FILE);
        for (int attempt = 0; attempt < ATTEMPTS && Files.exists(root, LinkOption.NOFOLLOW_LINKS); attempt++) {
            try (Stream<Path> tree = Files.walk(root)) {
                List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
                for (Path each : deepestFirst) {
                    if (!each.equals(owner) && !each.equals(root) && !kept.contains(each)) {
                        Files.deleteIfExists(each);
                    }
                }
                if (!kept.isEmpty()) {
                    return false;
                }
                Files.deleteIfExists(owner);
                Files.deleteIfExists(root);
            } catch (IOException | UncheckedIOException e) {
                // tried again; what stays is a temporary folder
            }
        }
        return !Files.exists(root, LinkOption.NOFOLLOW_LINKS);
    }
}
