package dev.bascule.cli;

import dev.bascule.config.SmallFile;
import dev.bascule.json.JsonFormatException;
import dev.bascule.json.JsonReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * A file of JSON lines, one a point, to which finished points are appended. What a crash cut off in its last line is
 * dropped when the file is opened again; a file of another version is refused. Thread-safe.
 */
final class SweepResults {
    /** A hundred thousand points. */
    static final int LARGEST_BYTES = 64 << 20;
    private static final Long VERSION = 2L;

    private final Path file;
    private final String costs;
    private final long repeats;
    private final Set<String> done = new LinkedHashSet<>();

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
            results.read();
        }
        return results;
    }

    private void read() throws IOException {
        String text = new String(SmallFile.read(file, LARGEST_BYTES), StandardCharsets.UTF_8);
        int whole = text.lastIndexOf('\n') + 1;
        int number = 0;
        for (String line : text.substring(0, whole).lines().toList()) {
            number++;
            Map<?, ?> row = row(line);
            if (!(row.get("point") instanceof String point)) {
                throw new Failure(file + ":" + number + ": this is no row of a sweep; name another file with --out");
            }
            if (!VERSION.equals(row.get("version"))) {
                throw new Failure(file + ":" + number + ": written by version " + row.get("version")
                        + " of the format, this is version " + VERSION + "; name another file with --out");
            }
            if (row.get("costProfile") instanceof String profile && !profile.equals(costs)) {
                throw new Failure(file + ":" + number + ": a point under the cost profile " + profile
                        + ", this sweep is under " + costs + "; name another file with --out");
            }
            if (row.get("repeats") instanceof Number runs && runs.longValue() != repeats) {
                throw new Failure(file + ":" + number + ": a point of " + runs + " runs, this sweep has " + repeats
                        + " of each; say --repeat " + runs + ", or name another file with --out");
            }
            done.add(point);
        }
        if (whole < text.length()) {
            OutputFile.write(file, text.substring(0, whole));
        }
    }

    boolean holds(String point) {
        return done.contains(point);
    }

    synchronized void add(String row) throws IOException {
        if (!(row(row).get("point") instanceof String point)) {
            throw new Failure("sweep: a point's process wrote no result: " + row);
        }
        OutputFile.write(file, row + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        done.add(point);
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
