package dev.bascule.cli;

import dev.bascule.report.Percentiles;
import dev.bascule.run.Failure;
import dev.bascule.run.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Figures of a run by name, in order; beside those of another run, with the ratio, if one was kept. */
final class DemoFigures {
    @OutputFile.AtEnd
    @Option(names = "--save", paramLabel = "FILE", description = "keep the figures there")
    private @Nullable Path save;

    @Option(names = "--against", paramLabel = "FILE", description = "figures that another run has kept, to stand beside this one's")
    private @Nullable Path against;

    private final Map<String, Double> values = new LinkedHashMap<>();
    private Map<String, Double> others = Map.of();

    /** Reads the other run's figures, before this one takes its time. */
    void begin() {
        Path file = against;
        if (file == null) {
            return;
        }
        others = new LinkedHashMap<>();
        try {
            for (String line : Files.readAllLines(file)) {
                String[] parts = line.split("\t", -1);
                if (parts.length != 2) {
                    throw new Failure("--against " + file + " holds no figures of 'bascule demo --save': " + line);
                }
                others.put(parts[0], Double.valueOf(parts[1]));
            }
        } catch (IOException e) {
            throw new Failure("cannot read --against " + file + ": " + e + "; make it with --save in another run", e);
        } catch (NumberFormatException e) {
            throw new Failure("--against " + file + " holds no figures of 'bascule demo --save': " + e.getMessage(), e);
        }
    }

    void say(PrintWriter out, String what) {
        out.println(what);
        out.flush();
    }

    DemoFigures put(String name, double value) {
        values.put(name, value);
        return this;
    }

    /** Percentiles, if anything was measured. */
    DemoFigures times(String what, Percentiles of) {
        return of.count() == 0
                ? this
                : put(what + " p50, us", of.p50()).put(what + " p99, us", of.p99()).put(what + " longest, us",
                        of.max());
    }

    /** The table; and the file of --save. */
    void print(PrintWriter out) {
        if (!others.isEmpty()) {
            row(out, "", "here", "before", "here/before");
        }
        values.forEach((name, value) -> {
            Double other = others.get(name);
            if (other == null) {
                out.printf(Locale.ROOT, "%-42s%14s%n", name, text(value));
            } else {
                row(out, name, text(value), text(other),
                        other == 0 ? "-" : String.format(Locale.ROOT, "%.2f", value / other));
            }
        });
        out.flush();
        keep();
    }

    private static void row(PrintWriter out, String name, String here, String before, String ratio) {
        out.printf(Locale.ROOT, "%-42s%14s%14s%14s%n", name, here, before, ratio);
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, value >= 100 || value == Math.rint(value) ? "%,.0f" : "%.2f", value);
    }

    private void keep() {
        Path file = save;
        if (file == null) {
            return;
        }
        StringBuilder text = new StringBuilder();
        values.forEach((name, value) -> text.append(name).append('\t').append(value).append('\n'));
        try {
            OutputFile.write(file, text.toString());
        } catch (IOException e) {
            throw new UncheckedIOException("write --save " + file + ": " + e.getMessage(), e);
        }
    }
}
