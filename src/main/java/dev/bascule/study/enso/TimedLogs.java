package dev.bascule.study.enso;

import static dev.bascule.study.enso.TimedSections.figure;
import static dev.bascule.study.enso.TimedSections.known;

import dev.bascule.app.LogMonitor;
import dev.bascule.app.PatternSet;
import dev.bascule.app.enso.SampleApps;
import dev.bascule.app.enso.Traffic;
import dev.bascule.study.experiment.Figure;
import dev.bascule.study.experiment.Section;
import dev.bascule.study.report.Plot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The log monitor in virtual time: over what a byte costs, over the number of patterns, and over several logs. */
final class TimedLogs {
    private static final String BYTE_COST = "the cost of a byte";
    private static final List<String> LOGS = List.of("request done in 12 ms ", "GET /index.html 200 ",
            "10.0.0.1 denied ");
    private static final int LOG_BYTES = 508;
    private static final double LOOK_UP_NANOS = 0.1;

    private final TimedSections all;
    private final int packets;

    TimedLogs(TimedSections all) {
        this.all = all;
        packets = Math.max(1_000, all.packets() / 20);
    }

    private static IntFunction<byte[]> lines(int log) {
        return i -> {
            byte[] frame = Traffic.udp(0x0A00_0000 + i % 64, 1024, LOG_BYTES);
            byte[] text = ("Jan 01 00:00:00 host app[" + i % 1000 + "]: " + LOGS.get(log) + (i % 50 == 0
                    ? "error 42\n"
                    : "ok\n")).repeat(32).getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(text, 0, frame, 50, Math.min(text.length, LOG_BYTES - 50));
            return frame;
        };
    }

    /** The first three are the sample's; the others look for one program's requests each, in all logs. */
    private static PatternSet patterns(int count) {
        return new PatternSet(IntStream.range(0, count).mapToObj(i -> i < SampleApps.PATTERNS.size()
                ? SampleApps.PATTERNS.get(i)
                : "app\\[" + 15 * i + "\\]: [^\\n]{0,24}(done|200|denied)").toList());
    }

    /** The whole cost of a byte is told. */
    private static TimedApp swept(double nanosPerByte) {
        return new TimedApp(new LogMonitor(new PatternSet(SampleApps.PATTERNS)), 0, nanosPerByte, true, false,
                TimedApp.Touches.NONE);
    }

    /** A look-up costs its instructions and what the cache model answers for the automaton's entry. */
    private static TimedApp followed(int patterns, List<LogMonitor> made) {
        LogMonitor monitor = new LogMonitor(patterns(patterns));
        made.add(monitor);
        return new TimedApp(monitor, 0, LOOK_UP_NANOS, true, false, monitor::follow);
    }

    Section section() {
        List<Figure> figures = new ArrayList<>();
        overByteCost(figures);
        overPatterns(figures);
        return new Section("j", "log monitor over what searching a byte costs, over patterns and logs",
                "512-byte frames, one core; published are 2 to 100 Gbit/s on Ensō and 2 to 53.2 on the E810 by kind of log"
                        + " with Hyperscan, whose cost of a byte is not told, so it is swept with three patterns. By number of"
                        + " patterns a byte costs " + LOOK_UP_NANOS
                        + " ns (chosen) and what the cache model answers for"
                        + " the entry of the automaton that it reads, which is followed. Matches are counted by the search"
                        + " itself, of three logs at 5 Gbit/s",
                figures);
    }

    private void overByteCost(List<Figure> figures) {
        double[] nanosPerByte = all.isQuick() ? new double[] { 0.1 } : new double[] { 0.02, 0.05, 0.1, 0.2, 0.5, 1, 4 };
        double best = 0;
        for (double nanos : nanosPerByte) {
            TimedLoad load = new TimedLoad(packets, 1, lines(0));
            double pipes = all.mostOnPipes(EnsoRig.Shape.of(1), load, () -> swept(nanos)).gbps();
            double queues = all.mostOnQueues(1, load, () -> swept(nanos)).gbps();
            best = Math.max(best, pipes / queues);
            String name = String.format(Locale.ROOT, "%.2f ns a byte, ", nanos);
            figures.add(figure(name + "pipes", "Gbit/s", pipes, null).chosen(BYTE_COST));
            figures.add(figure(name + "queues", "Gbit/s", queues, null).chosen(BYTE_COST));
        }
        figures.add(figure("pipes against queues, most", "x", best, known(1.88, TimedSections.PAPER))
                .chosen(BYTE_COST));
    }

    private void overPatterns(List<Figure> figures) {
        int[] counts = all.isQuick() ? new int[] { 3 } : new int[] { 1, 3, 8, 16, 32, 64 };
        Plot plot = new Plot("Log monitor over the number of patterns, simulated", "patterns", "Gbit/s");
        for (int log = 0; log < LOGS.size(); log++) {
            double[] x = new double[counts.length];
            double[] pipes = new double[counts.length];
            double[] queues = new double[counts.length];
            for (int i = 0; i < counts.length; i++) {
                String name = "log " + (log + 1) + ", patterns: " + counts[i] + ", ";
                figures.add(figure(name + "states reached", "states", matches(name, counts[i], log, figures), null));
                int count = counts[i];
                TimedLoad load = new TimedLoad(packets, 1, lines(log));
                Supplier<TimedApp> app = () -> followed(count, new ArrayList<>());
                x[i] = count;
                pipes[i] = all.mostOnPipes(EnsoRig.Shape.of(1), load, app).gbps();
                queues[i] = all.mostOnQueues(1, load, app).gbps();
                figures.add(figure(name + "pipes", "Gbit/s", pipes[i], null).chosen(BYTE_COST));
                figures.add(figure(name + "queues", "Gbit/s", queues[i], null).chosen(BYTE_COST));
            }
            plot.line("log " + (log + 1) + ", pipes", x, pipes).line("log " + (log + 1) + ", queues", x, queues);
        }
        all.plot("enso-patterns.svg", plot);
    }

    /** The search's own result on both; a rig may make a monitor without packets. Returns the automaton's states. */
    private int matches(String name, int patterns, int log, List<Figure> figures) {
        TimedLoad slow = new TimedLoad(packets, 0.05, lines(log));
        List<LogMonitor> pipes = new ArrayList<>();
        all.pipes(EnsoRig.Shape.of(1), NotificationMode.REACTIVE, 1_000, slow, () -> followed(patterns, pipes));
        List<LogMonitor> queues = new ArrayList<>();
        all.queues(1, slow, () -> followed(patterns, queues));
        figures.add(figure(name + "matches on pipes", "matches", found(pipes), null));
        figures.add(figure(name + "matches on queues", "matches", found(queues), null));
        return pipes.stream().mapToInt(LogMonitor::automatonStates).max().orElseThrow();
    }

    private static long found(List<LogMonitor> monitors) {
        return monitors.stream().mapToLong(LogMonitor::matches).sum();
    }
}
