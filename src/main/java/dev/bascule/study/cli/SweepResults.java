package dev.bascule.study.cli;

import dev.bascule.run.Failure;
import dev.bascule.run.OutputFile;
import dev.bascule.json.JsonFormatException;
import dev.bascule.json.JsonReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * A file of JSON lines, one a point, to which finished points are appended. What a crash cut off in its last line is
 * dropped when the file is next opened; a file of another version is refused. Several sweeps may share a file: each
 * point is in it once. Thread-safe.
 */
final class SweepResults {
    /** A hundred thousand points. */
    static final int LARGEST_BYTES = 64 << 20;
    private static final Long VERSION = 3L;

    private final Path file;
    private final String costs;
    private final long repeats;
    private final Set<String> done = new LinkedHashSet<>();
    private long end; // of the rows that were read
    private int lines;

    private SweepResults(Path file, String costs, long repeats) {
        this.file = file;
        this.costs = costs;
        this.repeats = repeats;
    }

    /** Points of another cost profile or another number of repeats are another sweep's: a file that has any is refused. */
    static SweepResults open(Path file, String costs, long repeats) throws IOException {
        SweepResults results = new SweepResults(file, costs, repeats);
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        if (Files.exists(file)) {
            results.locked(channel -> {});
        }
        return results;
    }

    /** Something done with the file while no other sweep does. */
    private interface Work {
        void with(FileChannel channel) throws IOException;
    }

    /** Sweeps of other processes wait at the file's lock, those of this one at the class; what others added is read first. */
    private void locked(Work work) throws IOException {
        synchronized (SweepResults.class) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
                    StandardOpenOption.WRITE); FileLock lock = channel.lock()) {
                assert lock.isValid();
                readNew(channel);
                work.with(channel);
            } catch (IOException e) {
                throw OutputFile.named(file, e);
            }
        }
    }

    private void readNew(FileChannel channel) throws IOException {
        if (channel.size() - end > LARGEST_BYTES) {
            throw new FileSystemException(file.toString(), null, "larger than " + (LARGEST_BYTES >> 20) + " MiB");
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.max(0, channel.size() - end));
        while (bytes.hasRemaining() && channel.read(bytes, end + bytes.position()) >= 0) {
            // until all is there
        }
        String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
        int whole = text.lastIndexOf('\n') + 1;
        for (String line : new String(bytes.array(), 0, whole, StandardCharsets.UTF_8).lines().toList()) {
            lines++;
            done.add(point(line, file + ":" + lines));
        }
        end += whole;
        if (whole < text.length()) {
            channel.truncate(end);
        }
    }

    /** The point of a row, if that is of this sweep. */
    private String point(String line, String place) {
        Map<?, ?> row = row(line);
        if (!(row.get("point") instanceof String point)) {
            throw new Failure(place + ": this is no row of a sweep; name another file with --out");
        }
        if (!VERSION.equals(row.get("version"))) {
            throw new Failure(place + ": written by version " + row.get("version")
                    + " of the format, this is version " + VERSION + "; name another file with --out");
        }
        if (row.get("costProfile") instanceof String profile && !profile.equals(costs)) {
            throw new Failure(place + ": a point under the cost profile " + profile
                    + ", this sweep is under " + costs + "; name another file with --out");
        }
        if (row.get("repeats") instanceof Number runs && runs.longValue() != repeats) {
            throw new Failure(place + ": a point of " + runs + " runs, this sweep has " + repeats
                    + " of each; say --repeat " + runs + ", or name another file with --out");
        }
        return point;
    }

    synchronized boolean holds(String point) {
        return done.contains(point);
    }

    /** Whether a point is there now, as another sweep may have added it meanwhile. */
    synchronized boolean holdsNow(String point) throws IOException {
        if (!done.contains(point) && Files.exists(file)) {
            locked(channel -> {});
        }
        return done.contains(point);
    }

    /** Appends a row, unless another sweep has added its point meanwhile. */
    synchronized void add(String row) throws IOException {
        if (!(row(row).get("point") instanceof String point)) {
            throw new Failure("sweep: a point's process wrote no result: " + row);
        }
        locked(channel -> {
            if (done.add(point)) {
                ByteBuffer line = ByteBuffer.wrap((row + "\n").getBytes(StandardCharsets.UTF_8));
                while (line.hasRemaining()) {
                    channel.write(line, end + line.position());
                }
                end += line.limit();
                lines++;
            }
        });
    }

    /** The fields of a row; none if a line is no JSON object. */
    static Map<?, ?> row(String line) {
        try {
            return JsonReader.parse(line) instanceof Map<?, ?> fields ? fields : Map.of();
        } catch (JsonFormatException e) {
            return Map.of();
        }
    }
}
