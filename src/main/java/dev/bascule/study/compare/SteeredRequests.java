package dev.bascule.study.compare;

import dev.bascule.local.LocalProtocol;
import dev.bascule.report.Grid;
import dev.bascule.report.Section;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** E7: requests to a card, a decision for each, with one and with several staged ahead for a core. */
final class SteeredRequests {
    private static final List<Integer> DEPTHS = List.of(1, 4, 12);
    private static final long QUICK = 10_000;
    private static final long FULL = 200_000;
    private static final String UNACCOUNTED = "requests of which nobody knows what became";
    private static final String ASTRAY = "answers to nothing, to another request, or twice";

    /** One setting, as played. */
    private record Run(String transport, int depth, RequestRuns.Figures figures) {}

    private final Bench bench;
    private final RequestRuns player;
    private final List<Run> runs = new ArrayList<>();

    SteeredRequests(Bench bench, RequestRuns player) {
        this.bench = bench;
        this.player = player;
    }

    /** The transports of the bench; the swap's modes are one here, for the depth decides the mode. */
    static List<String> transports(List<String> names) {
        return names.stream().map(name -> SwapMode.texts().contains(name) ? SwapProtocol.NAME : name).distinct()
                .toList();
    }

    void play() {
        for (String transport : transports(bench.transports())) {
            for (int depth : DEPTHS) {
                bench.progress().accept("E7: requests over " + transport + ", up to " + depth + " decided ahead");
                runs.add(new Run(transport, depth,
                        player.play(transport, depth, bench.quick() ? QUICK : FULL, bench.seed())));
            }
        }
    }

    Section section() {
        return new Section("E7", "requests steered to cores, a decision each",
                "ONC RPC calls come as frames through the driver and the model of a card; an agent's process decides the core of"
                        + " each, and a live host runs it. 64 calls are under way. Up to 1, 4 or 12 decisions are staged"
                        + " for a core: over the swap, 1 is swap1 and more is swap-end, a batch of decisions that changes"
                        + " hands as a whole.",
                DEPTHS.stream().map(this::grid).toList(), List.of(), wrong(), findings(), List.of(
                        "All of it shares this machine's cores: host, front, agent, the card's model and the clients. So these"
                                + " are figures of this machine at this scale, and ratios of one run at most; 16 CPUs at a"
                                + " load of 0.6 are the simulated host's ('reproduce fito').",
                        "Over the loopback SmartNIC's memory, pull placement, whatever --device, --config and --placement say.",
                        "Cores that front and agent took: with on-host they are the host's own, and its CPU time per request has"
                                + " them in it; with wave and swap they stand for cores of a NIC."));
    }

    private Grid grid(int depth) {
        List<Run> at = runs.stream().filter(run -> run.depth == depth).toList();
        return new Grid.Builder(caption(depth), at.stream().map(Run::transport).toList())
                .counts("requests answered", "1/s", values(at, RequestRuns.Figures::perSecond))
                .measures("due to answered, p50", "us", values(at, f -> f.latency().p50()))
                .measures("p99", "us", values(at, f -> f.latency().p99()))
                .measures("decided by the host itself", "per 1000",
                        values(at, f -> 1000.0 * f.alone() / Math.max(1, f.answered())))
                .measures("CPU time of the host", "us/request", values(at, RequestRuns.Figures::hostMicros))
                .measures("cores that front and agent took", "cores", values(at, RequestRuns.Figures::steeringCores))
                .counts("refused", "requests", values(at, RequestRuns.Figures::refused))
                .counts("lost in the card", "requests", values(at, RequestRuns.Figures::lost))
                .counts(UNACCOUNTED, "requests", values(at, RequestRuns.Figures::unaccounted))
                .counts(ASTRAY, "answers", values(at, RequestRuns.Figures::astray)).build();
    }

    private static String caption(int depth) {
        return depth == 1 ? "one decision at a time" : "up to " + depth + " decisions staged for a core";
    }

    private static List<Double> values(List<Run> at, ToDoubleFunction<RequestRuns.Figures> value) {
        return at.stream().map(run -> value.applyAsDouble(run.figures)).toList();
    }

    private List<Section.Wrong> wrong() {
        List<Section.Wrong> wrong = new ArrayList<>();
        for (Run run : runs) {
            if (run.figures.unaccounted() != 0) {
                wrong.add(new Section.Wrong(caption(run.depth), run.transport, UNACCOUNTED, run.figures.unaccounted(),
                        "Each request is answered, refused, or lost where that is counted."));
            }
            if (run.figures.astray() != 0) {
                wrong.add(new Section.Wrong(caption(run.depth), run.transport, ASTRAY, run.figures.astray(),
                        "Each request has one answer, its own."));
            }
        }
        return wrong;
    }

    private List<String> findings() {
        List<String> found = new ArrayList<>();
        for (int depth : DEPTHS) {
            List<Run> at = runs.stream().filter(run -> run.depth == depth).toList();
            found.add("With " + caption(depth) + ", requests answered a second: "
                    + FigureText.each(at, Run::transport, run -> run.figures.perSecond(), FigureText::number)
                    + "; the host's CPU time for each: "
                    + FigureText.each(at, Run::transport, run -> run.figures.hostMicros(), FigureText::micros) + ".");
        }
        runs.stream().filter(run -> run.depth == 1 && run.transport.equals(LocalProtocol.NAME)).findFirst()
                .ifPresent(run -> found.add("On the host itself, front and agent took "
                        + FigureText.number(run.figures.steeringCores()) + " cores at "
                        + FigureText.number(run.figures.perSecond()) + " requests a second."));
        return found;
    }
}
