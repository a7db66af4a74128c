package dev.bascule.web;

import dev.bascule.ffi.OwnFile;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Log of what happened to a host's agents, one line each in the file {@code incidents.log} of its run directory: ms
 * since 1970, a blank, the text. One thread writes.
 */
public final class Incidents implements AutoCloseable {
    private static final String FILE = "incidents.log";
    /** More than a host says in a week of failing agents. */
    private static final int MOST_BYTES = 1 << 20;

    private final Path file;
    private final OutputStream out;

    /** @param atMillis ms since 1970 */
    record Incident(long atMillis, String text) {}

    private Incidents(Path file, OutputStream out) {
        this.file = file;
        this.out = out;
    }

    /** An empty file; that of an earlier host in the same directory is replaced. */
    public static Incidents create(Path directory) {
        Path file = directory.resolve(FILE);
        try {
            Files.deleteIfExists(file);
            return new Incidents(file, new FileOutputStream(file.toFile())); // no channel: an interrupt would close it
        } catch (IOException e) {
            throw new UncheckedIOException("make " + file + ": " + e.getMessage(), e);
        }
    }

    /** Adds one; a text of several lines becomes one. */
    public void add(long atMillis, String text) {
        try {
            out.write((atMillis + " " + text.strip().replaceAll("\\R", " ") + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("write " + file + ": " + e.getMessage(), e);
        }
    }

    /** All so far; none if there is no such file, and one that says so if it cannot be read. A line that is not whole yet is left out. */
    static List<Incident> read(Path directory) {
        List<Incident> all = new ArrayList<>();
        String text;
        try {
            text = new String(OwnFile.read(directory.resolve(FILE), MOST_BYTES), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return all;
        } catch (IOException e) {
            return List.of(new Incident(System.currentTimeMillis(), "incidents cannot be read: " + e.getMessage()));
        }
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            int blank = line.indexOf(' ');
            if (blank > 0 && line.substring(0, blank).matches("\\d{1,18}")) {
                all.add(new Incident(Long.parseLong(line.substring(0, blank)), line.substring(blank + 1)));
            }
        }
        return all;
    }

    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            throw new UncheckedIOException("close " + file + ": " + e.getMessage(), e);
        }
    }
}
