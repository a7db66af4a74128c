package dev.bascule.study.experiment;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Latency against load as somebody else measured it.
 *
 * @param system what was measured
 * @param quantumMicros its time slice; 0: none
 * @param mix short and long jobs, us
 * @param points by load
 */
record MeasuredCurve(String system, int quantumMicros, String mix, List<Point> points) {
    /** Where all of them are from. */
    static final String SOURCE = "raw data of Skyloft (SOSP'24), yhtzd/skyloft paper_results and yhtzd/ghost-userspace ghost_data";
    /** Time that was left out at the start of each run. */
    static final double WARM_UP_SECONDS = 2;
    private static final String FILE = "skyloft-sosp24.csv";
    private static final String SHARES = "skyloft-sosp24-shares.csv";

    /** Part of a host's CPU time that best-effort tasks got beside a load. */
    record Share(int quantumMicros, double perSecond, double part) {}

    /** One load; latencies are NaN where it could not be done. What serves the fit of the costs is not predicted. */
    record Point(double perSecond, double p50Nanos, double p99Nanos, double p999Nanos, boolean servesFit) {
        boolean isDone() {
            return !Double.isNaN(p99Nanos);
        }
    }

    /** All curves of the paper. */
    static List<MeasuredCurve> all() {
        Map<String, MeasuredCurve> curves = new LinkedHashMap<>();
        for (String line : lines(FILE)) {
            String[] f = line.split(",", -1);
            curves.computeIfAbsent(f[0] + "," + f[1] + "," + f[2],
                    name -> new MeasuredCurve(f[0], Integer.parseInt(f[1]), f[2], new ArrayList<>())).points
                    .add(new Point(number(f[3]), number(f[4]), number(f[5]), number(f[6]),
                            f[7].equals("y")));
        }
        return List.copyOf(curves.values());
    }

    /** Measured shares of best-effort tasks under ghOSt. */
    static List<Share> shares() {
        return lines(SHARES).stream().map(line -> line.split(",", -1))
                .map(f -> new Share(Integer.parseInt(f[0]), number(f[1]), number(f[2]))).toList();
    }

    private static double number(String text) {
        return text.isEmpty() ? Double.NaN : Double.parseDouble(text);
    }

    private static List<String> lines(String file) {
        try (InputStream in = MeasuredCurve.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is missing in the jar");
            }
            return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).lines()
                    .filter(line -> !line.startsWith("#") && !line.isBlank()).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The curve of this name; there must be one. */
    static MeasuredCurve of(String system, int quantumMicros, String mix) {
        return all().stream()
                .filter(c -> c.system.equals(system) && c.quantumMicros == quantumMicros && c.mix.equals(mix))
                .findFirst().orElseThrow();
    }

    /** Time measured at each load, as the file's head has it. */
    double seconds() {
        return system.equals("ghost") && (quantumMicros != 10 || mix.equals("1-100")) ? 8 : 3;
    }

    /**
     * The greatest load that was measured with a p99 of at most so much, and the next that was measured; jobs per second.
     * The first is 0 if there is none, and both are the same if no load was beyond.
     */
    double[] knee(double p99Nanos) {
        int within = -1;
        for (int i = 0; i < points.size(); i++) {
            within = points.get(i).p99Nanos <= p99Nanos ? i : within;
        }
        return new double[] { within < 0 ? 0 : points.get(within).perSecond,
                points.get(Math.min(within + 1, points.size() - 1)).perSecond };
    }
}
