package dev.bascule.cli;

import dev.bascule.config.SmallFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of JSON lines, one a point, to which finished points are appended. What a crash cut off in its last line is
 * dropped when the file is opened again; a file of another version is refused. Thread-safe.
 */
final class SweepResults {
    private static final Pattern ROW = Pattern.compile("\\{\"version\":(\\d+),.*\"point\":\"([^\"]*)\".*\\}");
    /** A hundred thousand points. */
    static final int LARGEST_BYTES = 64 << 20;
    private static final String VERSION = "1";

    private static final Pattern COSTS = Pattern.compile("\"costProfile\":\"([^\"]*)\"");

    private final Path file;
    private final String costs;
    private final Set<String> done = new LinkedHashSet<>();

    private SweepResults(Path file, String costs) {
        this.file = file;
        this.costs = costs;
    }

    /** Points of another cost profile are another sweep's: a file that has any is refused. */
    static SweepResults open(Path file, String costs) throws IOException {
        SweepResults results = new SweepResults(file, costs);
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
            Matcher row = ROW.matcher(line);
            if (!row.matches()) {
                throw new Failure(file + ":" + number + ": this is no row of a sweep; name another file with --out");
            }
            if (!row.group(1).equals(VERSION)) {
                throw new Failure(file + ":" + number + ": written by version " + row.group(1) + " of the format, this "
                        + "is version " + VERSION + "; name another file with --out");
            }
            Matcher profile = COSTS.matcher(line);
            if (profile.find() && !profile.group(1).equals(costs)) {
                throw new Failure(file + ":" + number + ": a point under the cost profile " + profile.group(1)
                        + ", this sweep is under " + costs + "; name another file with --out");
            }
            done.add(row.group(2));
        }
        if (whole < text.length()) {
            OutputFile.write(file, text.substring(0, whole));
        }
    }

    boolean holds(String point) {
        return done.contains(point);
    }

    synchronized void add(String row) throws IOException {
        Matcher matcher = ROW.matcher(row);
        if (!matcher.matches()) {
            throw new Failure("sweep: a point's process wrote no result: " + row);
        }
        OutputFile.write(file, row + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        done.add(matcher.group(2));
    }
}
