package dev.bascule.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/** Writes files that a user has named; a failure names the file, also where write(2) knows only the errno. */
final class OutputFile {
    private OutputFile() {}

    /** Whether a file can be there, as its folder is: for what would be written only at the end. */
    static boolean hasFolder(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        return folder != null && Files.isDirectory(folder);
    }

    static void write(Path file, String text, OpenOption... options) throws IOException {
        write(file, text.getBytes(StandardCharsets.UTF_8), options);
    }

    static void write(Path file, byte[] bytes, OpenOption... options) throws IOException {
        try {
            Files.write(file, bytes, options);
        } catch (IOException e) {
            throw named(file, e);
        }
    }

    /** The failure with the file's name, and what to do about it. */
    static IOException named(Path file, IOException failure) {
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
