package dev.bascule.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The log that an agent's JVM keeps of its garbage collections, in the run directory. */
public final class GcLog {
    private static final int FIRST = 0;
    private static final Pattern PAUSE = Pattern.compile("Pause .* ([0-9.]+)ms");
    /**
     * Starting a JVM and running code that is not compiled yet make some, whatever the policy does: with FIFO 1 to 3 were seen,
     * of about 10 MB each.
     */
    private static final int FEW = 5;

    private GcLog() {}

    /** The flag that makes a JVM keep it; it replaces the one of the agent before. */
    public static String flag(Path directory) {
        return flag(directory, FIRST);
    }

    /** The flag for one of several agents, by its number. */
    public static String flag(Path directory, int agent) {
        return "-Xlog:gc:file=\"" + file(directory, agent) + "\"::filecount=0";
    }

    private static Path file(Path directory, int agent) {
        return directory.resolve(agent == FIRST ? "gc.log" : "gc-" + agent + ".log");
    }

    /** The first agent's pauses so far, ms; empty if they are not logged. */
    public static List<Double> pausesMillis(Path directory) {
        return pauses(file(directory, FIRST));
    }

    private static List<Double> pauses(Path file) {
        List<Double> pauses = new ArrayList<>();
        try (Stream<String> lines = Files.lines(file)) {
            for (String line : lines.toList()) {
                Matcher matcher = PAUSE.matcher(line);
                if (matcher.find()) {
                    pauses.add(Double.parseDouble(matcher.group(1)));
                }
            }
        } catch (NoSuchFileException e) {
            return pauses;
        } catch (IOException e) {
            throw new UncheckedIOException("read " + file, e);
        }
        return pauses;
    }

    /** Remarks on an agent's policy and its use of memory; empty if it makes no garbage to speak of. */
    public static List<String> remarks(Path directory, int agent) {
        List<Double> pauses = pauses(file(directory, agent));
        if (pauses.size() <= FEW) {
            return List.of();
        }
        return List
                .of(("the policy allocates while it decides: its garbage was collected %,d times, %.1f ms in all, the"
                        + " longest %.1f ms, and the agent stands still meanwhile; allocate in reset, not in doWork")
                        .formatted(
                                pauses.size(), pauses.stream().mapToDouble(one -> one).sum(),
                                pauses.stream().mapToDouble(one -> one).max().orElse(0)));
    }
}
