package dev.bascule.run;

import dev.bascule.ffi.Libc;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/** Writes files that a user has named; a failure names the file, also where write(2) knows only the errno. */
public final class OutputFile {
    private OutputFile() {}

    /**
     * Option that names what is written only at the end, a file, or by its label DIR a folder. That it can be
     * is checked before the command begins.
     */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.FIELD)
    public @interface AtEnd {
    }

    /** Throws {@link Failure} if a file cannot be written, as far as that is known before; opens and makes nothing. */
    public static void requireFile(String option, Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw new Failure(option + " " + file + ": that is a folder; name a file in it");
        }
        if (folder == null || !Files.exists(folder)) {
            throw new Failure(option + " " + file + ": there is no such folder; mkdir -p " + folder);
        }
        if (!Files.isDirectory(folder)) {
            throw new Failure(option + " " + file + ": " + folder + " is no folder; name another file");
        }
        requireWritable(option, file, Files.exists(file) ? file : folder);
    }

    /** Folder, which is made if it is not there, as {@link #requireFile}. */
    public static void requireFolder(String option, Path folder) {
        Path made = folder.toAbsolutePath();
        while (!Files.exists(made) && made.getParent() != null) {
            made = made.getParent();
        }
        if (!Files.isDirectory(made)) {
            throw new Failure(option + " " + folder + ": " + made + " is no folder; name another");
        }
        requireWritable(option, folder, made);
    }

    private static void requireWritable(String option, Path file, Path there) {
        if (!Files.isWritable(there)) {
            throw new Failure(option + " " + file + ": " + there + ": "
                    + (Libc.fileSystem(there.toString()).isReadOnly() ? "Read-only file system" : "Permission denied")
                    + "; name another with " + option);
        }
    }

    /** Writes a text. */
    public static void write(Path file, String text, OpenOption... options) throws IOException {
        write(file, text.getBytes(StandardCharsets.UTF_8), options);
    }

    /** Writes bytes. */
    public static void write(Path file, byte[] bytes, OpenOption... options) throws IOException {
        try {
            Files.write(file, bytes, options);
        } catch (IOException e) {
            throw named(file, e);
        }
    }

    /** The failure with the file's name, and what to do about it. */
    public static IOException named(Path file, IOException failure) {
        String reason = failure instanceof FileSystemException known ? known.getReason() : failure.getMessage();
        if (reason == null) {
            return failure; // its class is the reason, its message the name
        }
        if (reason.contains("No space left") && !reason.contains("df -h")) {
            reason += "; free some space: df -h " + file;
        }
        FileSystemException named = new FileSystemException(file.toString(), null, reason);
        named.initCause(failure);
        return named;
    }
}
