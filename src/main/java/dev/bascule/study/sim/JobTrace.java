package dev.bascule.study.sim;

import dev.bascule.workload.WorkloadException;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Jobs as somebody recorded them: when each came and how much CPU time it needed. A CSV file whose first line names its
 * columns: {@code arrival_us}, {@code service_us} and, if jobs are of several classes, {@code class}; for hints
 * {@code expected_us}, the CPU time that was expected, and {@code deadline_us} after the arrival, where an empty cell
 * is none. The unit is {@code ns}, {@code us}, {@code ms} or {@code s}, other columns are not read. Arrivals are in
 * order. Immutable.
 */
public final class JobTrace {
    private static final Pattern COLUMN = Pattern.compile("(arrival|service|expected|deadline)_(ns|us|ms|s)");
    private static final List<String> COLUMNS = List.of("arrival", "service", "expected", "deadline");
    private static final int ARRIVAL = 0;
    private static final int SERVICE = 1;
    private static final int EXPECTED = 2;
    private static final int DEADLINE = 3;
    private static final Map<String, Double> UNITS = Map.of("ns", 1.0, "us", 1e3, "ms", 1e6, "s", 1e9);
    private static final int MOST_CLASSES = 256;
    private static final double LONGEST_NANOS = 1e18;

    private final List<String> names;
    private final long[] arrivals;
    private final long[] services;
    private final long[] expected;
    private final long[] deadlines;
    private final short[] classes;

    /** The file that was read last; a point of a sweep asks for it several times. */
    private static volatile @Nullable Read last;

    private record Read(Path file, FileTime changed, long size, JobTrace trace) {}

    private JobTrace(List<String> names, long[][] times, short[] classes) {
        this.names = List.copyOf(names);
        arrivals = times[ARRIVAL];
        services = times[SERVICE];
        expected = times[EXPECTED];
        deadlines = times[DEADLINE];
        this.classes = classes;
    }

    /**
     * The trace in a file.
     *
     * @throws WorkloadException with the line, if it is not one, or if it cannot be read
     */
    public static JobTrace of(Path file) {
        try {
            FileTime changed = Files.getLastModifiedTime(file);
            long size = Files.size(file);
            Read known = last;
            if (known != null && known.file.equals(file) && known.changed.equals(changed) && known.size == size) {
                return known.trace;
            }
            JobTrace trace = new Reader(file).read();
            last = new Read(file, changed, size, trace);
            return trace;
        } catch (MalformedInputException e) {
            throw new WorkloadException("trace " + file + ": not a text in UTF-8", e);
        } catch (NoSuchFileException e) {
            throw new WorkloadException("trace " + file + ": there is no such file; it has a line of column names, as"
                    + " arrival_us,service_us, and one for each job", e);
        } catch (IOException e) {
            throw new WorkloadException("trace " + file + ": " + e.getMessage(), e);
        }
    }

    /** Reads one file, whose cells may stand in quotes. */
    private static final class Reader {
        private final Path file;
        private final List<String> names = new ArrayList<>();
        private final List<LongStream.Builder> columns = Stream.generate(LongStream::builder).limit(COLUMNS.size())
                .toList();
        private final LongStream.Builder classes = LongStream.builder();
        private final int[] at = COLUMNS.stream().mapToInt(_ -> -1).toArray();
        private final double[] unit = new double[COLUMNS.size()];
        private int line;
        private int classAt = -1;
        private long before = -1;

        private Reader(Path file) {
            this.file = file;
        }

        private JobTrace read() throws IOException {
            try (var lines = Files.newBufferedReader(file)) {
                for (String text = lines.readLine(); text != null; text = lines.readLine()) {
                    line++;
                    String[] cells = text.split(",", -1);
                    if (line == 1) {
                        cells[0] = cells[0].replaceFirst("^\ufeff", ""); // as spreadsheets begin a file
                        head(cells);
                    } else if (!text.isBlank()) {
                        job(cells);
                    }
                }
            }
            long[][] times = columns.stream().map(column -> column.build().toArray()).toArray(long[][]::new);
            long[] arrivals = times[ARRIVAL];
            if (arrivals.length < 2 || arrivals[arrivals.length - 1] == arrivals[0]) {
                throw wrong("a trace has two jobs or more, at different times");
            }
            long[] kinds = classes.build().toArray();
            short[] small = new short[kinds.length];
            for (int i = 0; i < small.length; i++) {
                small[i] = (short) kinds[i];
            }
            return new JobTrace(names, times, small);
        }

        private void head(String[] cells) {
            for (int i = 0; i < cells.length; i++) {
                Matcher column = COLUMN.matcher(cell(cells, i));
                if (cell(cells, i).equals("class")) {
                    classAt = i;
                } else if (column.matches()) {
                    int which = COLUMNS.indexOf(column.group(1));
                    at[which] = i;
                    unit[which] = UNITS.getOrDefault(column.group(2), 1.0);
                }
            }
            if (at[ARRIVAL] < 0 || at[SERVICE] < 0) {
                throw wrong("the first line names the columns, among them arrival_us and service_us"
                        + " (or _ns, _ms, _s)");
            }
        }

        private void job(String[] cells) {
            long arrival = nanos(cells, ARRIVAL);
            if (arrival < before) {
                throw wrong("it comes before the job above it; sort the lines by arrival");
            }
            before = arrival;
            columns.get(ARRIVAL).add(arrival);
            columns.get(SERVICE).add(Math.max(1, nanos(cells, SERVICE)));
            for (int hint = EXPECTED; hint <= DEADLINE; hint++) {
                if (at[hint] >= 0) {
                    columns.get(hint).add(cell(cells, at[hint]).isEmpty() ? 0 : nanos(cells, hint));
                }
            }
            String name = classAt < 0 ? "all" : cell(cells, classAt);
            if (!names.contains(name)) {
                names.add(name);
            }
            if (names.size() > MOST_CLASSES) {
                throw wrong("more than " + MOST_CLASSES + " classes");
            }
            classes.add(names.indexOf(name));
        }

        private String cell(String[] cells, int at) {
            if (at >= cells.length) {
                throw wrong("it has " + cells.length + " cells, and column " + (at + 1) + " is needed");
            }
            String cell = cells[at].strip();
            if (cell.startsWith("\"") != cell.endsWith("\"") || cell.equals("\"")) {
                throw wrong("a comma between quotes; leave it out");
            }
            return cell.replaceAll("^\"|\"$", "");
        }

        private long nanos(String[] cells, int column) {
            String text = cell(cells, at[column]);
            try {
                double nanos = Double.parseDouble(text) * unit[column];
                if (nanos >= 0 && nanos < LONGEST_NANOS) {
                    return Math.round(nanos);
                }
            } catch (NumberFormatException e) {
                throw wrong("'" + text + "' is no number");
            }
            throw wrong("'" + text + "' is no time from 0 to 30 years");
        }

        private WorkloadException wrong(String what) {
            return new WorkloadException(file + ":" + Math.max(1, line) + ": " + what, null);
        }
    }

    /** Number of jobs. */
    public int size() {
        return arrivals.length;
    }

    /** Names of the classes in the order in which the first job of each came. */
    public List<String> classNames() {
        return names;
    }

    /** When a job comes, ns from the first one on; those behind the last are the same ones again, after another gap. */
    long arrivalNanos(long job) {
        return arrivals[(int) (job % size())] - arrivals[0] + job / size() * periodNanos();
    }

    /** CPU time that a job needs, ns. */
    long serviceNanos(long job) {
        return services[(int) (job % size())];
    }

    /** Takes the hints about a job that arrives at that time, where the trace has any. */
    void hint(SimJob to, long job, long arrivesNanos) {
        int row = (int) (job % size());
        if (expected.length > 0) {
            to.expected(expected[row]);
        }
        if (deadlines.length > 0) {
            to.deadline(deadlines[row] == 0 ? 0 : arrivesNanos + deadlines[row]);
        }
    }

    int jobClass(long job) {
        return classes[(int) (job % size())];
    }

    /** From the first job to where the trace begins again: a mean gap after the last. */
    private long periodNanos() {
        long span = arrivals[arrivals.length - 1] - arrivals[0];
        return span + Math.max(1, span / (arrivals.length - 1));
    }

    /** Jobs per second, as recorded. */
    public double perSecond() {
        return size() * 1e9 / periodNanos();
    }

    /** Mean service time, ns. */
    public double meanNanos() {
        return Arrays.stream(services).average().orElseThrow();
    }

    /** Second moment of the service time, ns squared. */
    public double secondMoment() {
        return Arrays.stream(services).mapToDouble(nanos -> (double) nanos * nanos).average().orElseThrow();
    }

    /** CPU time of all jobs of each class, ns. */
    public double[] work() {
        double[] work = new double[names.size()];
        for (int job = 0; job < size(); job++) {
            work[classes[job]] += services[job];
        }
        return work;
    }

    /** Mean service time of each class, ns. */
    long[] meansNanos() {
        double[] work = work();
        long[] jobs = new long[work.length];
        for (short one : classes) {
            jobs[one]++;
        }
        return IntStream.range(0, work.length).mapToLong(one -> Math.round(work[one] / jobs[one])).toArray();
    }
}
