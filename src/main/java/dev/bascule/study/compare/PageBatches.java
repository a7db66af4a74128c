package dev.bascule.study.compare;

import dev.bascule.agent.memory.MemoryLedger;
import dev.bascule.host.TimeHistogram;
import dev.bascule.host.tier.TierLink;
import dev.bascule.report.Grid;
import dev.bascule.report.Percentiles;
import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** E6: batches of pages whose pages change while the agent decides about them. */
final class PageBatches {
    private static final List<Integer> QUICK = List.of(16, 512);
    private static final List<Integer> FULL = List.of(1, 16, 128, 512);
    private static final List<Double> RATES = List.of(0.0, 0.1, 1.0);
    private static final long WARM_NANOS = 200_000_000;
    private static final String BLIND = "moved by a decision on pages that had changed since";

    /** One setting, as played. */
    private record Run(String link, int batches, double rate, double seconds, long scans, long struck,
            MemoryLedger ledger, TimeHistogram window, long unanswered,
            long changes, long fences, long blind) {
        double perThousand(long count) {
            return 1000.0 * count / Math.max(1, scans);
        }
    }

    private final Bench bench;
    private final List<Run> runs = new ArrayList<>();

    PageBatches(Bench bench) {
        this.bench = bench;
    }

    void play() throws InterruptedException {
        long nanos = bench.quick() ? 200_000_000L : 2_000_000_000L;
        for (String link : TierLink.names()) {
            for (int batches : sizes()) {
                bench.progress().accept("E6: " + batches + " batches of pages over " + link);
                double windowNanos = 0;
                for (double rate : RATES) {
                    Run run = play(link, batches, rate, windowNanos, nanos);
                    windowNanos = rate == 0 ? Percentiles.of(run.window).p50() * 1e3 : windowNanos;
                    runs.add(run);
                }
            }
        }
    }

    private List<Integer> sizes() {
        return bench.quick() ? QUICK : FULL;
    }

    private Run play(String link, int batches, double rate, double windowNanos, long nanos)
            throws InterruptedException {
        try (PageRun warm = new PageRun(link, batches, bench.seed())) {
            warm.play(WARM_NANOS, 0);
        }
        try (PageRun run = new PageRun(link, batches, bench.seed())) {
            run.play(nanos, rate == 0 ? 0 : rate * batches * 1e9 / windowNanos);
            return new Run(link, batches, rate, run.seconds(), run.scans(), run.struck(), run.ledger(), run.window,
                    run.unanswered(), run.changes(), run.fences(), run.movedBlindly());
        }
    }

    Section section() {
        List<Grid> grids = new ArrayList<>();
        sizes().forEach(batches -> RATES.forEach(rate -> grids.add(grid(batches, rate))));
        return new Section("E6", "batches of pages that change while they are decided about",
                "A host scans batches of 64 made-up pages and an agent on a thread beside it decides their tier, by the classes"
                        + " and over the links of 'bascule tier'. Meanwhile batches change at random moments, so many times"
                        + " each in the link's own median time from scan to decision without changes. How many decisions are of use?",
                grids, List.of(), wrong(), findings(), List.of(
                        "Over wave what the agent gets is a copy, and a decision about pages that have changed is refused as stale."
                                + " Over the swap a batch that changes before it is handed over is struck, and one that changes"
                                + " later is refused as stale too: the host never waits, so no fault is deferred here; what"
                                + " deferral would cost is simulated ('reproduce fito').",
                        "Of 1000 scanned, those in force, stale, struck, refused and never decided are all. A round of scans"
                                + " ends when each has its decision or was struck, however long a thread had no core.",
                        "The agent decides at once; decision times up to 100 ms are simulated.",
                        "wave and swap only, over the loopback SmartNIC's memory: on-host has no bulk link. Both threads poll."));
    }

    private static String caption(int batches, double rate) {
        return batches + " batches, " + FigureText.number(rate) + " changes of each in the time of a decision";
    }

    private Grid grid(int batches, double rate) {
        List<Run> at = at(batches, rate);
        return new Grid.Builder(caption(batches, rate), at.stream().map(Run::link).toList())
                .counts("decisions in force", "1/s", values(at, run -> run.ledger.inForce() / run.seconds))
                .measures("in force", "per 1000 scanned", values(at, run -> run.perThousand(run.ledger.inForce())))
                .measures("stale, refused at enforcement", "per 1000 scanned",
                        values(at, run -> run.perThousand(run.ledger.stale())))
                .measures("struck before they changed hands", "per 1000 scanned",
                        values(at, run -> run.perThousand(run.struck)))
                .measures("refused for another reason", "per 1000 scanned",
                        values(at, run -> run.perThousand(run.ledger.refused())))
                .measures("never decided: the agent was fenced", "per 1000 scanned",
                        values(at, run -> run.perThousand(run.unanswered)))
                .measures("scan to decisions in force, p50", "us",
                        values(at, run -> Percentiles.known(run.window).p50()))
                .measures("p99", "us", values(at, run -> Percentiles.known(run.window).p99()))
                .counts("changes", "times", values(at, Run::changes))
                .counts("agents fenced", "times", values(at, Run::fences))
                .counts(BLIND, "batches", values(at, Run::blind)).build();
    }

    private List<Run> at(int batches, double rate) {
        return runs.stream().filter(run -> run.batches == batches && run.rate == rate).toList();
    }

    private static List<Double> values(List<Run> at, ToDoubleFunction<Run> value) {
        return at.stream().map(value::applyAsDouble).toList();
    }

    private List<Section.Wrong> wrong() {
        return runs.stream().filter(run -> run.blind != 0).map(run -> new Section.Wrong(caption(run.batches, run.rate),
                run.link, BLIND, run.blind, "A batch was moved though its pages were others than the agent had seen."))
                .toList();
    }

    private List<String> findings() {
        List<String> found = new ArrayList<>();
        for (int batches : sizes()) {
            found.add("With " + batches + " batches and no changes, decisions in force a second: "
                    + FigureText.each(at(batches, 0), Run::link, run -> run.ledger.inForce() / run.seconds,
                            FigureText::number)
                    + "; with a change of each in the time of a decision, of 1000 scanned were in force "
                    + FigureText.each(at(batches, 1), Run::link, run -> run.perThousand(run.ledger.inForce()),
                            FigureText::number)
                    + ".");
        }
        return found;
    }
}
