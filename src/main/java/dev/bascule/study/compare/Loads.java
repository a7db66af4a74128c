package dev.bascule.study.compare;

import dev.bascule.report.Grid;
import dev.bascule.report.Section;
import dev.bascule.workload.ServiceMix;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** E1: saturation and latency against load. */
final class Loads {
    private static final List<String> QUICK = List.of("fixed");
    private static final List<String> FULL = List.of("fixed", "short-bimodal", "ghost-rocksdb");

    private final Bench bench;
    private final ReplayedLoads played;
    private final Map<String, ServiceMix> mixes = ServiceMix.presets();

    Loads(Bench bench, LoadRuns player) {
        this.bench = bench;
        played = new ReplayedLoads(player);
    }

    private List<String> names() {
        return bench.quick() ? QUICK : FULL;
    }

    private List<Double> parts() {
        return bench.quick() ? List.of(0.3, 0.7) : List.of(0.1, 0.3, 0.5, 0.7, 0.9);
    }

    void play() throws InterruptedException {
        for (String mix : names()) {
            bench.progress().accept("E1: loads of mix " + mix);
            List<LoadRuns.Setting> settings = new ArrayList<>();
            for (String transport : bench.transports()) {
                for (boolean polling : new boolean[] { true, false }) {
                    settings.add(new LoadRuns.Setting(transport, polling, bench.staged(), LoadRuns.AS_CONFIGURED,
                            Objects.requireNonNull(mixes.get(mix)), false, 0, List.of(),
                            bench.quick() ? 300_000_000L : 2_000_000_000L,
                            bench.seed()));
                }
            }
            played.play(settings, parts());
        }
    }

    Section section() {
        List<Grid> grids = new ArrayList<>();
        for (String mix : names()) {
            for (double part : Stream.concat(parts().stream(), Stream.of(ReplayedLoads.FLOOD)).toList()) {
                List<ReplayedLoads.Run> at = at(mix, part);
                grids.add(ReplayedLoads.ending(ReplayedLoads
                        .grid(caption(mix, part), at.stream().map(run -> run.setting().column()).toList(), at)
                        .measures("due to answered, p99.9", "us",
                                ReplayedLoads.values(at, run -> run.point().latency().p999())),
                        at));
            }
        }
        return new Section("E1", "saturation and latency against load",
                "Requests arrive as a Poisson process, whether earlier ones are answered or not. In a flood, "
                        + ReplayedLoads.FLOOD
                        + " times what the CPUs could answer if nothing but the work cost time, how many are answered is the"
                        + " saturation, and latency grows with the run.",
                grids, List.of(),
                played.wrong(this::caption, LoadRuns.Setting::column), findings(),
                ReplayedLoads.LIMITS);
    }

    private String nameOf(ServiceMix mix) {
        return names().stream().filter(name -> mixes.get(name) == mix).findFirst().orElseThrow();
    }

    private String caption(ReplayedLoads.Run run) {
        return caption(nameOf(run.setting().mix()), run.point().part());
    }

    private static String caption(String mix, double part) {
        return "mix " + mix + ", " + ReplayedLoads.caption(part);
    }

    private List<ReplayedLoads.Run> at(String mix, double part) {
        return played.all().stream()
                .filter(run -> run.setting().mix() == mixes.get(mix) && run.point().part() == part).toList();
    }

    private List<String> findings() {
        List<String> found = new ArrayList<>();
        for (String mix : names()) {
            List<ReplayedLoads.Run> most = at(mix, ReplayedLoads.FLOOD);
            double low = parts().get(0);
            found.add("Mix " + mix + " on " + most.get(0).point().cpus()
                    + " CPU(s): saturation, requests answered a second: "
                    + FigureText.each(most, run -> run.setting().column(), run -> run.point().perSecond(),
                            FigureText::number)
                    + "; median latency at load " + FigureText.number(low) + " of the least: "
                    + FigureText.each(at(mix, low), run -> run.setting().column(), run -> run.point().latency().p50(),
                            FigureText::micros)
                    + ".");
        }
        found.addAll(played.withoutAgent(this::caption));
        return found;
    }
}
