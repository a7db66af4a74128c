package dev.bascule.study.compare;

import dev.bascule.local.LocalProtocol;
import dev.bascule.report.Grid;
import dev.bascule.report.Section;
import dev.bascule.workload.ServiceMix;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** E2: what the link's latency costs each transport that crosses it. */
final class LinkLatencies {
    private static final List<Long> QUICK = List.of(0L, 1_000L);
    private static final List<Long> FULL = List.of(0L, 375L, 1_000L, 2_000L);
    private static final double CALM = 0.5;

    private final Bench bench;
    private final ReplayedLoads played;
    private final List<String> transports;

    LinkLatencies(Bench bench, LoadRuns player) {
        this.bench = bench;
        played = new ReplayedLoads(player);
        transports = bench.transports().stream().filter(name -> !name.equals(LocalProtocol.NAME)).toList();
    }

    private List<Long> latencies() {
        return bench.quick() ? QUICK : FULL;
    }

    void play() throws InterruptedException {
        ServiceMix mix = Objects.requireNonNull(ServiceMix.presets().get("fixed"));
        bench.progress().accept("E2: latencies of the link");
        List<LoadRuns.Setting> settings = new ArrayList<>();
        for (String transport : transports) {
            for (long nanos : latencies()) {
                settings.add(new LoadRuns.Setting(transport, true, bench.staged(), nanos, mix, false, 0, List.of(),
                        bench.quick() ? 300_000_000L : 2_000_000_000L, bench.seed()));
            }
        }
        played.play(settings, List.of(CALM));
    }

    Section section() {
        List<Grid> grids = new ArrayList<>();
        for (long nanos : latencies()) {
            for (double part : List.of(CALM, ReplayedLoads.FLOOD)) {
                List<ReplayedLoads.Run> at = at(nanos, part);
                grids.add(ReplayedLoads.ending(ReplayedLoads.grid(caption(nanos, part), transports, at), at));
            }
        }
        return new Section("E2", "latency of the link",
                "The loopback SmartNIC's link is given another latency: so long in one direction for posted writes, DMA writes and"
                        + " interrupts, twice that for reads. Requests of 10 us arrive at random: a flood for the saturation, and at "
                        + CALM
                        + " of the least that was answered.",
                grids, List.of(), played.wrong(LinkLatencies::caption, LoadRuns.Setting::transport),
                findings(),
                List.of(ReplayedLoads.LIMITS.get(0), ReplayedLoads.LIMITS.get(1), ReplayedLoads.LIMITS.get(2),
                        "on-host crosses no link, so it is not played. A latency is injected by a thread that spins: what it"
                                + " costs beyond, it costs at every latency but 0.",
                        "Polling, and the placement that was asked for; the simulated sweep has pulled and pushed decisions side"
                                + " by side."));
    }

    private static String caption(ReplayedLoads.Run run) {
        return caption(run.setting().oneWayNanos(), run.point().part());
    }

    private static String caption(long nanos, double part) {
        return nanos + " ns one way, " + ReplayedLoads.caption(part);
    }

    private List<ReplayedLoads.Run> at(long nanos, double part) {
        return played.all().stream()
                .filter(run -> run.setting().oneWayNanos() == nanos && run.point().part() == part).toList();
    }

    private List<String> findings() {
        if (transports.isEmpty()) {
            return List.of("No transport that crosses a link was asked for: nothing was played.");
        }
        long near = latencies().get(0);
        long far = latencies().get(latencies().size() - 1);
        List<String> found = new ArrayList<>();
        for (int i = 0; i < transports.size(); i++) {
            ReplayedLoads.Run before = at(near, ReplayedLoads.FLOOD).get(i);
            ReplayedLoads.Run after = at(far, ReplayedLoads.FLOOD).get(i);
            found.add("Over " + transports.get(i) + ", requests answered a second at saturation "
                    + FigureText.went(before.point().perSecond(), after.point().perSecond())
                    + " as the link's latency rose from " + near + " to " + far + " ns; median latency at load " + CALM
                    + " " + FigureText.went(at(near, CALM).get(i).point().latency().p50(),
                            at(far, CALM).get(i).point().latency().p50())
                    + " us.");
        }
        found.addAll(played.withoutAgent(LinkLatencies::caption));
        return found;
    }
}
