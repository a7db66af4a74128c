package dev.bascule.lanes;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What {@code scripts/test} says on standard output, and the same, shorter, in a file: a line for each lane as it ends, then
 * the totals. Any thread may add a lane.
 */
final class Summary {
    private final PrintStream out;
    private final Path file;
    private final Map<String, LaneResult> lanes = new LinkedHashMap<>();
    private final List<String> failures = new ArrayList<>();
    private Counts counts = Counts.NONE;

    Summary(PrintStream out, Path file) throws IOException {
        this.out = out;
        this.file = file;
        Files.createDirectories(file.getParent());
        Files.writeString(file, "");
    }

    synchronized void add(LaneResult lane) {
        lanes.put(lane.name(), lane);
        counts = counts.plus(lane.counts());
        out.printf(Locale.ROOT, "%-12s %-8s %s%n", lane.name(), lane.status().word(), lane.detail());
        keep(lane.name() + " " + lane.status().word() + " " + lane.detail());
        for (String line : lane.lines()) {
            out.println(line);
            if (line.startsWith("    failed")) {
                failures.add(line);
                keep(line);
            }
        }
        out.flush();
    }

    /** A lane that must run and did not run to a good end fails, whatever kept it. */
    synchronized void require(Collection<String> names) {
        for (String name : names) {
            LaneResult lane = lanes.get(name);
            if (lane == null || lane.status() == LaneResult.Status.SKIPPED) {
                add(LaneResult.failed(name,
                        "it must run and did not: " + (lane == null ? "nobody started it" : lane.detail())));
            }
        }
    }

    /** Says the failures again, where a long output ends, and the totals. */
    synchronized int end() {
        failures.forEach(line -> out.println("again: " + line.strip()));
        List<String> bad = lanes.values().stream().filter(lane -> lane.status() == LaneResult.Status.FAILED)
                .map(LaneResult::name).toList();
        lanes.values().stream().filter(lane -> lane.status() == LaneResult.Status.FAILED)
                .forEach(lane -> out.println("again: " + lane.name() + ": " + lane.detail()));
        if (!bad.isEmpty()) {
            out.println(bad.size() + (bad.size() == 1 ? " lane" : " lanes") + " failed: " + String.join(", ", bad));
        }
        out.printf(Locale.ROOT, "%d passed, %d failed, %d skipped%n", counts.passed(), counts.failed(),
                counts.skipped());
        out.flush();
        return bad.isEmpty() && counts.failed() == 0 ? 0 : 1;
    }

    private void keep(String line) {
        try {
            Files.writeString(file, line + "\n", StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
