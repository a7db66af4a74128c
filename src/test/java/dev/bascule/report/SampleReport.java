package dev.bascule.report;

import dev.bascule.config.HardwareConfigs;
import dev.bascule.host.TimeHistogram;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Invented but plausible results; the figures mean nothing. */
final class SampleReport {
    private SampleReport() {}

    static RunReport of(String config, RunResult... results) {
        return new RunReport("Who schedules RocksDB: an agent on the host or on the SmartNIC",
                "scripts/bascule run --config " + config + " --seed 7",
                "RocksDB 11.8.1, 100,000 records of 256 bytes; GET = 1 lookup, 2.9 us here; RANGE = scan of 3,330"
                        + " records, 984 us here; mix 99.5 % / 0.5 %; every answer checked",
                "2026-01-02 03:04:05", 7, HardwareConfigs.load(config),
                new MachineInfo("Invented CPU <1> & Co", 2, 24L << 30, "Linux 6.18 amd64", "Some Vendor 25.0.3+9"),
                "local", List.of(results), List.of("Every figure in this sample is invented.",
                        "First 2 s of each load point are left out."));
    }

    static RunReport three(String config) {
        return of(config, result("local", 1), result("wave", 1.8), result("swap", 1.35));
    }

    /** One that lost requests. */
    static RunResult losing(String transport, long lost) {
        RunResult right = result(transport, 2);
        return new RunResult(transport, right.description(), right.capacityPerSecond(), right.seconds(),
                new RunResult.Requests(300_120, 300_118 - lost, 2, lost, 0, 0), right.shown(), right.decisions(),
                right.window(), right.windowBars(), right.resources(), right.faults(), right.curve());
    }

    static RunResult result(String transport, double factor) {
        TimeHistogram window = TimeHistogram.single();
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 50_000; i++) {
            window.record((long) (900 * factor * Math.exp(0.35 * random.nextGaussian()))
                    + (random.nextInt(300) == 0 ? 40_000 : 0));
        }
        boolean local = transport.equals("local");
        return new RunResult(transport, switch (transport) {
            case "local" -> "the agent runs on the host, over coherent memory, as ghOSt does";
            case "wave" -> "the agent runs on the SmartNIC, over one-way queues with transactions";
            default -> "the agent runs on the SmartNIC, over the bilateral swap";
        }, 150_000 / factor, 5, new RunResult.Requests(300_120, 300_118, 2, 0, 0, 0), new LoadPoint(60_024, 60_023.6,
                new Percentiles(300_118, 6.1 * factor, 48.25 * factor, 1_204 * factor, 4_400), List.of(
                        new ClassLatency("GET",
                                new Percentiles(298_618, 6.0 * factor, 31.5 * factor, 90 * factor, 300)),
                        new ClassLatency("RANGE",
                                new Percentiles(1_500, 830 * factor, 1_310 * factor, 2_250 * factor, 4_400))),
                false),
                new RunResult.Decisions(298_000, local ? 12 : 480, 3,
                        local ? RunResult.NOT_MEASURED : 251_000, 2_118, 0),
                Percentiles.of(window), HistogramBar.of(window, 10), new RunResult.Resources(4.8, 5.0, 0, 412L << 20),
                List.of(),
                curve(factor));
    }

    private static List<LoadPoint> curve(double factor) {
        List<LoadPoint> points = new ArrayList<>();
        double capacity = 150_000 / factor;
        for (double load = 10_000; load <= 140_000; load += 10_000) {
            double used = Math.min(0.995, load / capacity);
            double p50 = 4 * factor + 3 / (1 - used);
            points.add(new LoadPoint(load, Math.min(load, capacity * 0.97),
                    new Percentiles(1, p50, p50 * 8 + 20 / (1 - used), p50 * 60, p50 * 100), List.of(),
                    load > capacity * 0.97));
        }
        return points;
    }
}
