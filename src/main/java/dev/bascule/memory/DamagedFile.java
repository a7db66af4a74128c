package dev.bascule.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Renames a shared file that cannot be used, so that a new one can take its place and the old one can still be examined.
 */
public final class DamagedFile {
    private static final int MOST = 100;

    private DamagedFile() {}

    /**
     * Gives the file another name in its directory, {@code NAME.damaged-N}, and warns.
     *
     * @param why what is wrong with it
     * @throws UncheckedIOException if it cannot be renamed, or a hundred are kept already
     */
    public static Path setAside(Path file, String why) {
        try {
            for (int n = 1; n <= MOST; n++) {
                Path kept = file.resolveSibling(file.getFileName() + ".damaged-" + n);
                if (!Files.exists(kept)) {
                    Files.move(file, kept);
                    System.getLogger(DamagedFile.class.getName()).log(System.Logger.Level.WARNING,
                            file + " is damaged and is replaced: " + why + "; it is kept as " + kept);
                    return kept;
                }
            }
            throw new FileAlreadyExistsException(file + ".damaged-" + MOST);
        } catch (IOException e) {
            throw new UncheckedIOException("set the damaged " + file + " aside: " + e.getMessage()
                    + "; remove such files, or name another directory", e);
        }
    }
}
