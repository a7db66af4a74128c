package dev.bascule.study.lauberhorn;

import dev.bascule.config.CostProfile;
import dev.bascule.study.lauberhorn.LauberhornFigure.Kind;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Curves;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Line;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Many more services than cores, in bursts, by each path, in virtual time: the same requests for all. */
final class DynamicMix {
    private static final int SERVICES = 100;
    private static final int CORES = 8;
    private static final double BURST = 20;
    private static final double WORK_NANOS = 5_000;
    private static final double GAP_NANOS = 2_000;
    private static final double[] LOADS = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8 };
    private static final int ALONE = 1_000;
    /** Requests that a process may have queued in the published prototype. */
    private static final int QUEUE_ENTRIES = 32;
    private static final int[] QUEUES = { 8, 16, QUEUE_ENTRIES, 64, 1 << 16 };
    private static final long QUANTUM_NANOS = 50_000;

    private final CostProfile costs;
    private final EndSystem end;
    private final int count;
    private final long seed;

    DynamicMix(CostProfile costs, EndSystem end, boolean quick, long seed) {
        this.costs = costs;
        this.end = end;
        this.seed = seed;
        count = quick ? 15_000 : 400_000;
    }

    /** One system on one load. */
    private List<MixResult> systems(MixLoad load, int cores) {
        EndSystem.Path interrupt = end.interrupt();
        EndSystem.Path bypass = end.bypass();
        EndSystem.Path wave = end.wave();
        EndSystem.Path swap = end.swap();
        long change = Math.round(costs.value("host.contextSwitch") + costs.value("host.entry"));
        long steer = costs.nanos("nic.steer"); // in front, so no part of the delivery
        long transfer = Math.round(bypass.latencyNanos() - bypass.coreNanos());
        long hop = change + Math.round(costs.value("host.poll"));
        return List.of(
                new CentralMix(load, cores,
                        new CentralMix.Times(0, Math.round(interrupt.latencyNanos() - interrupt.coreNanos()),
                                Math.round(interrupt.coreNanos()), Math.round(interrupt.otherNanos())))
                        .run("descriptor NIC with interrupt"),
                new BypassMix(load, cores, transfer, Math.round(bypass.coreNanos()), change).spinning(
                        "bypass, spinning",
                        costs.nanos("host.slice")),
                new BypassMix(load, cores, transfer, Math.round(bypass.coreNanos()), change)
                        .yielding("bypass, yielding", hop),
                new CentralMix(load, cores,
                        new CentralMix.Times(steer,
                                Math.round(wave.latencyNanos() - wave.coreNanos()) - steer,
                                Math.round(wave.coreNanos()),
                                Math.round(wave.otherNanos())))
                        .run("Wave steering"),
                new CentralMix(load, cores,
                        new CentralMix.Times(steer,
                                Math.round(swap.latencyNanos() - swap.coreNanos()) - steer,
                                Math.round(swap.coreNanos()),
                                Math.round(swap.otherNanos())))
                        .run("swap"),
                lauberhorn(load, cores, QUEUE_ENTRIES, "eci").run("Lauberhorn over ECI"),
                lauberhorn(load, cores, QUEUE_ENTRIES, "cxl").run("Lauberhorn over CXL"));
    }

    private LauberhornMix lauberhorn(MixLoad load, int cores, int queueEntries, String place) {
        long change = Math.round(costs.value("host.contextSwitch") + 2 * costs.value("host.entry"));
        return new LauberhornMix(load, cores, cores, queueEntries, new LauberhornMix.Times(costs.nanos("nic.decode"),
                costs.nanos(place + ".receiveLine"), costs.nanos(place + ".sendLine"), change, change,
                costs.nanos("pcie.interrupt") + costs.nanos("host.interruptEntry"), QUANTUM_NANOS));
    }

    Part run(Map<String, Curves> curves, Consumer<String> progress) {
        List<LauberhornFigure> figures = new ArrayList<>();
        Map<String, double[]> tails = new LinkedHashMap<>();
        for (int at = 0; at < LOADS.length; at++) {
            MixLoad load = MixLoad.draw(SERVICES, CORES, count, LOADS[at], BURST, WORK_NANOS, GAP_NANOS, seed);
            for (MixResult result : systems(load, CORES)) {
                tails.computeIfAbsent(result.system(), name -> new double[LOADS.length])[at] = result.micros(99);
                if (LOADS[at] == 0.3 || LOADS[at] == 0.6) {
                    figures.addAll(figures(result, "load " + LOADS[at]));
                }
            }
            if (LOADS[at] == 0.3 || LOADS[at] == 0.6) {
                figures.addAll(queues(load, LOADS[at]));
            }
            progress.accept("100 services on 8 cores, load " + LOADS[at]);
        }
        figures.addAll(dedicated());
        figures.addAll(alone());
        List<Line> lines = new ArrayList<>();
        tails.forEach((name, micros) -> lines.add(new Line(name, false, LOADS, micros)));
        curves.put("lauberhorn-mix.svg", new Curves("p99 of 100 services in bursts on 8 cores",
                "load (part of what the cores could do)", "p99 latency (us, log scale)", lines));
        return new Part("d", "A dynamic mix: 100 services on 8 cores, bursts",
                "%,d requests, exponential work of %.0f us,"
                        .formatted(count, WORK_NANOS / 1e3)
                        + " bursts of 20 on average with 2 us between them; every system gets the same. Lauberhorn: the production"
                        + " dispatcher and policy with a quantum of 50 us, and the prototype's queues of 32, which refuse"
                        + " what they have no room for; the others without a limit, first come, first served. Bypass: service s on"
                        + " core s mod 8; spinning processes have slices of 1 ms",
                figures);
    }

    /** Tail and refused requests over the size of the queues, which the other systems have without a limit. */
    private List<LauberhornFigure> queues(MixLoad load, double at) {
        List<LauberhornFigure> figures = new ArrayList<>();
        for (int entries : QUEUES) {
            String name = "Lauberhorn over ECI, load %s, queues of %,d: ".formatted(at, entries);
            MixResult result = lauberhorn(load, CORES, entries, "eci").run(name);
            figures.add(LauberhornFigure.simulated(name + "p99", "us", result.micros(99)));
            figures.add(LauberhornFigure.simulated(name + "refused", "%", 100.0 * result.refused() / load.count()));
        }
        return figures;
    }

    private static List<LauberhornFigure> figures(MixResult result, String where) {
        boolean isChosen = result.system().endsWith("CXL");
        List<LauberhornFigure> figures = new ArrayList<>();
        String name = result.system() + ", " + where;
        figures.add(LauberhornFigure.simulated(name + ": p50", "us", result.micros(50)));
        figures.add(LauberhornFigure.simulated(name + ": p99", "us", result.micros(99)));
        figures.add(LauberhornFigure.simulated(name + ": p99.9", "us", result.micros(99.9)));
        figures.add(LauberhornFigure.simulated(name + ": cores in use", "",
                result.busyNanos() / (double) Math.max(1, result.lastNanos())));
        return isChosen ? figures.stream().map(f -> f.of(Kind.CHOSEN, "cxl.*")).toList() : figures;
    }

    /** A small RPC that has the machine for itself, each time: what (c) computes, by the simulated systems. */
    private List<LauberhornFigure> alone() {
        long[] due = new long[ALONE];
        long[] work = new long[ALONE];
        Arrays.setAll(due, i -> (i + 1) * 1_000_000L);
        Arrays.fill(work, 1);
        List<LauberhornFigure> figures = new ArrayList<>();
        for (MixResult result : systems(new MixLoad(1, due, new int[ALONE], work), 1)) {
            LauberhornFigure figure = LauberhornFigure.simulated(
                    result.system() + ", one small RPC at a time: frame in to reply out", "us", result.micros(50));
            figures.add(result.system().endsWith("CXL") ? figure.of(Kind.CHOSEN, "cxl.*") : figure);
        }
        return figures;
    }

    /** Figures of the case that bypass is made for: as many services as cores, no bursts. */
    private List<LauberhornFigure> dedicated() {
        MixLoad load = MixLoad.draw(CORES, CORES, count / 2, 0.3, 1.000_001, WORK_NANOS, 1, seed);
        List<LauberhornFigure> figures = new ArrayList<>();
        for (MixResult result : systems(load, CORES)) {
            figures.addAll(figures(result, "8 services, no bursts, load 0.3"));
        }
        return figures;
    }
}
