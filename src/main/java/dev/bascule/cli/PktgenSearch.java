package dev.bascule.cli;

import dev.bascule.app.Probe;
import dev.bascule.app.ZeroLossSearch;
import dev.bascule.host.TimeHistogram;
import dev.bascule.report.Percentiles;
import dev.bascule.run.Errors;
import dev.bascule.run.Misuse;
import dev.bascule.run.Progress;
import dev.bascule.run.Summary;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The tests of RFC 2544, section 26, that {@code pktgen} makes with whatever its port is plugged into: throughput,
 * latency, frame loss rate and back-to-back frames, for each length by itself. Losses are what is looked for, so none
 * of them is a failure.
 */
final class PktgenSearch {
    private static final double PRECISION = 0.01;
    private static final double CARD_PRECISION = 0.001;
    private static final int STEPS = 10;
    private static final double BURST_SECONDS = 2;
    private static final double PERCENT = 100;
    private static final int WARM_UPS = 8;
    private static final double RISE = 0.05;

    @OneOf({ "throughput", "latency", "loss", "back-to-back" })
    @Option(names = "--search", arity = "0..1", fallbackValue = "throughput", paramLabel = "WHAT", description = "a test of RFC "
            + "2544 for each --size by itself: throughput, the highest rate without loss (by halving); latency, at "
            + "that rate; loss, "
            + "the share lost at 100, 90, ... %% of the highest rate, until two are without; or back-to-back, "
            + "the longest burst "
            + "without loss. --rate is the highest rate, else the link's, else what the port takes; --duration "
            + "is that of a trial, "
            + "default 2s; with --enso throughput alone")
    private @Nullable String what;

    @Range(">0..1")
    @Option(names = "--precision", paramLabel = "SHARE", description = "with --search: of the highest rate, or "
            + "burst; default 0.01, with --enso 0.001")
    private @Nullable Double precision;

    @Range("0..1")
    @Option(names = "--tolerance", defaultValue = "0", paramLabel = "SHARE", description = "with --search: "
            + "frames that may be lost "
            + "of those sent, where the card or the machine loses some at any rate; RFC 2544 has ${DEFAULT-VALUE}")
    private double tolerance;

    /**
     * A run at one rate.
     *
     * @param seconds for which frames were sent
     * @param latency of each that came back, ns
     */
    record Trial(long sent, long lost, double seconds, TimeHistogram latency) {
        double rate() {
            return sent / seconds;
        }
    }

    /** Makes trials; Ctrl-C is a {@link CancellationException}. */
    interface Tester {
        /**
         * Sends at a rate.
         *
         * @param rate frames per second, 0 for as fast as the port takes them
         * @param count frames after which it is over, 0 for none
         * @param waits whether a frame waits until there is room wherever it goes
         */
        Trial run(List<byte[]> frames, long rate, long count, boolean waits);

        /** Frames of that length that fill the link in a second; 0 if its speed is not known. */
        long linkRate(int lengthBytes);
    }

    private long returned;

    boolean isChosen() {
        return what != null;
    }

    /** Precision where the card keeps the rate. */
    double cardPrecision() {
        if (!"throughput".equals(what)) {
            throw new Misuse("--enso --search " + what + ": the simulated card searches for throughput alone");
        }
        return precision == null ? CARD_PRECISION : precision;
    }

    /**
     * Tests each length.
     *
     * @param most highest rate, 0 for what link and port give
     * @return exit status: failed if of all frames none came back
     */
    int run(List<Integer> sizes, long most, Tester tester, Summary summary, boolean json, PrintWriter out) {
        List<Summary.Row> rows = new ArrayList<>();
        int status = 0;
        try {
            for (int size : sizes) {
                rows.addAll(new Search(size, most, tester).rows());
            }
            status = returned == 0 ? Errors.FAILED : 0;
        } catch (CancellationException e) {
            status = Errors.INTERRUPTED;
        }
        summary.put("test", what + ", RFC 2544").put("frames", rows).print(out, json);
        return status;
    }

    private Trial trial(Tester tester, List<byte[]> frames, long rate, long count, boolean waits) {
        Trial trial = tester.run(frames, rate, count, waits);
        returned += trial.sent - trial.lost;
        return trial;
    }

    /** With frames of one length. */
    private final class Search {
        private final int size;
        private final List<byte[]> frames;
        private final Tester tester;
        private final Progress progress = new Progress(System.err);
        private final double most;

        Search(int size, long rate, Tester tester) {
            this.size = size;
            this.tester = tester;
            frames = List.of(Probe.frame(size));
            long link = rate != 0 ? rate : tester.linkRate(size);
            most = link != 0 ? link : measured();
        }

        /** The highest rate of trials in which frames wait for room, made until it rises no more. */
        private double measured() {
            double highest = 0;
            double last = trial(tester, frames, 0, 0, true).rate();
            for (int i = 1; i < WARM_UPS && last > highest * (1 + RISE); i++) {
                progress.say(
                        String.format(Locale.ROOT, "%d bytes, as fast as the port takes them: %,.0f packets/s", size,
                                last));
                highest = Math.max(highest, last);
                last = trial(tester, frames, 0, 0, true).rate();
            }
            return Math.max(highest, last);
        }

        private double precision() {
            return precision == null ? PRECISION : precision;
        }

        private long lost(Trial trial) {
            return trial.lost <= trial.sent * tolerance ? 0 : trial.lost;
        }

        private Trial at(double share) {
            Trial trial = trial(tester, frames, Math.max(1, Math.round(most * share)), 0, false);
            progress.say(String.format(Locale.ROOT, "%d bytes at %,.0f packets/s: lost %,d of %,d", size, trial.rate(),
                    trial.lost, trial.sent));
            return trial;
        }

        List<Summary.Row> rows() {
            return switch (String.valueOf(what)) {
                case "loss" -> loss();
                case "back-to-back" -> List.of(burst());
                case "latency" -> List.of(latency());
                default -> List.of(throughput());
            };
        }

        private Summary.Row row() {
            return new Summary.Row(size + " bytes").put("bytes", size);
        }

        /** Trials by share of the highest rate. */
        private List<Trial> halve(List<ZeroLossSearch.Trial> shares) {
            List<Trial> trials = new ArrayList<>();
            shares.addAll(ZeroLossSearch.run(precision(), share -> {
                Trial trial = at(share);
                trials.add(trial);
                return new ZeroLossSearch.Trial(share, trial.sent, lost(trial));
            }));
            return trials;
        }

        /** Rate that was really sent in the best trial; 0 if all lost. */
        private double best(List<Trial> trials) {
            return trials.stream().filter(trial -> lost(trial) == 0).mapToDouble(Trial::rate).max().orElse(0);
        }

        private Summary.Row throughput() {
            List<ZeroLossSearch.Trial> shares = new ArrayList<>();
            List<Trial> trials = halve(shares);
            return row().put("packets per second", best(trials))
                    .put("megabits per second", best(trials) * size * Byte.SIZE / 1e6)
                    .put("share of the highest rate", ZeroLossSearch.result(shares))
                    .put("highest rate, packets per second", most).put("trials", trials.size());
        }

        private Summary.Row latency() {
            List<ZeroLossSearch.Trial> shares = new ArrayList<>();
            halve(shares);
            double share = ZeroLossSearch.result(shares);
            Summary.Row row = row();
            if (share == 0) {
                return row.put("why not", "frames were lost at every rate");
            }
            Trial trial = at(share);
            Percentiles times = Percentiles.known(trial.latency);
            return row.put("packets per second", trial.rate()).put("lost", trial.lost)
                    .put("latency p50, us", times.p50()).put("latency p99, us", times.p99())
                    .put("latency p99.9, us", times.p999()).put("latency max, us", times.max());
        }

        private List<Summary.Row> loss() {
            List<Summary.Row> rows = new ArrayList<>();
            int without = 0;
            for (int step = STEPS; step > 0 && without < 2; step--) {
                double share = (double) step / STEPS;
                Trial trial = at(share);
                without = lost(trial) == 0 ? without + 1 : 0;
                rows.add(row().put("share of the highest rate", share).put("packets per second", trial.rate())
                        .put("sent", trial.sent).put("lost", trial.lost)
                        .put("share lost, %", PERCENT * trial.lost / Math.max(1, trial.sent)));
            }
            return rows;
        }

        private Summary.Row burst() {
            long longest = Math.max(1, Math.round(most * BURST_SECONDS));
            List<ZeroLossSearch.Trial> trials = ZeroLossSearch.run(precision(), share -> {
                Trial trial = trial(tester, frames, 0, Math.max(1, Math.round(longest * share)), false);
                progress.say(String.format(Locale.ROOT, "%d bytes, %,d back to back: lost %,d", size, trial.sent,
                        trial.lost));
                return new ZeroLossSearch.Trial(share, trial.sent, lost(trial));
            });
            return row()
                    .put("longest burst, packets",
                            trials.stream().filter(trial -> trial.lost() == 0).mapToLong(ZeroLossSearch.Trial::sent)
                                    .max().orElse(0))
                    .put("longest tried", longest).put("trials", trials.size());
        }
    }
}
