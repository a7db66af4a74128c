package dev.bascule.study.compare;

import dev.bascule.report.ClassLatency;
import dev.bascule.report.Grid;
import dev.bascule.report.Section;
import dev.bascule.workload.ServiceMix;
import java.util.ArrayList;
import java.util.List;

/** E4: urgent requests before patient ones, against the number of decisions staged ahead. */
final class Priorities {
    private static final List<Integer> DEPTHS = List.of(1, 4);
    private static final double LOAD = 0.6;
    private static final String URGENT = "urgent";
    private static final String PATIENT = "patient";

    private final Bench bench;
    private final ReplayedLoads played;

    Priorities(Bench bench, LoadRuns player) {
        this.bench = bench;
        played = new ReplayedLoads(player);
    }

    void play() throws InterruptedException {
        ServiceMix mix = ServiceMix.bimodal(URGENT, 5_000, PATIENT, 50_000, 0.1);
        bench.progress().accept("E4: priorities and decisions staged");
        List<LoadRuns.Setting> settings = new ArrayList<>();
        for (String transport : bench.transports()) {
            for (int depth : DEPTHS) {
                settings.add(new LoadRuns.Setting(transport, true, depth, LoadRuns.AS_CONFIGURED, mix, true, 0,
                        List.of(), bench.quick() ? 500_000_000L : 4_000_000_000L, bench.seed()));
            }
        }
        played.play(settings, List.of(LOAD));
    }

    Section section() {
        return new Section("E4", "priorities against staging depth",
                "Of 10 requests one is urgent and takes 5 us, the others take 50 us; the policy is Shinjuku with a quantum of"
                        + " 30 us, under which an urgent one that waits goes first; the load is " + LOAD
                        + " of the least that was answered under a flood. Decisions staged ahead were made"
                        + " before the urgent ones came: what do they cost them?",
                DEPTHS.stream().map(this::grid).toList(), List.of(),
                played.wrong(Priorities::caption, LoadRuns.Setting::transport), findings(),
                List.of(ReplayedLoads.LIMITS.get(0), ReplayedLoads.LIMITS.get(1), ReplayedLoads.LIMITS.get(2),
                        "swap0 stages nothing with the host and swap1 and one-word one decision at a time: more are kept by the"
                                + " agent. Polling only."));
    }

    private static String caption(ReplayedLoads.Run run) {
        return caption(run.setting().staged()) + (run.point().part() == LOAD ? "" : ", a flood");
    }

    private static String caption(int depth) {
        return depth == 1 ? "1 decision staged ahead" : depth + " decisions staged ahead";
    }

    private Grid grid(int depth) {
        List<ReplayedLoads.Run> at = at(depth);
        return ReplayedLoads.ending(ReplayedLoads.grid(caption(depth), bench.transports(), at)
                .measures("urgent, p50", "us", ReplayedLoads.values(at, run -> of(run, URGENT).latency().p50()))
                .measures("urgent, p99", "us", ReplayedLoads.values(at, run -> of(run, URGENT).latency().p99()))
                .measures("patient, p99", "us", ReplayedLoads.values(at, run -> of(run, PATIENT).latency().p99())), at);
    }

    private static ClassLatency of(ReplayedLoads.Run run, String name) {
        return run.point().classes().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
    }

    private List<ReplayedLoads.Run> at(int depth) {
        return played.all().stream().filter(run -> run.setting().staged() == depth && run.point().part() == LOAD)
                .toList();
    }

    private List<String> findings() {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < bench.transports().size(); i++) {
            ReplayedLoads.Run one = at(DEPTHS.get(0)).get(i);
            ReplayedLoads.Run more = at(DEPTHS.get(1)).get(i);
            found.add("Over " + bench.transports().get(i) + ", urgent requests' p99 "
                    + FigureText.went(of(one, URGENT).latency().p99(), of(more, URGENT).latency().p99())
                    + " us as decisions staged rose from " + DEPTHS.get(0) + " to " + DEPTHS.get(1)
                    + "; the age of information at enforcement, median, "
                    + FigureText.went(one.point().window().p50(), more.point().window().p50()) + " us.");
        }
        found.addAll(played.withoutAgent(Priorities::caption));
        return found;
    }
}
