package dev.bascule.bench;

import dev.bascule.bench.VfioSteps.Step;
import dev.bascule.lab.Lab;
import dev.bascule.nic.edu.EduRegisters;
import dev.bascule.pci.IommuGroup;
import dev.bascule.pci.PciAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code scripts/bench --lab}, in the virtual machine: Java and C open the edu device in turn and do the same steps.
 * The machine is emulated, so that only the ratio of the two says anything, and not how long a step takes on hardware.
 */
public final class VfioLabMain {
    private static final String METHOD = "emulated machine: ratios only; Java and C open the device in turn in one "
            + "process, each does every step in windows; ratio = median over rounds of the median windows";
    private static final String SOURCE = "issue 4, Speed";
    private static final double LIMIT = 1.2;
    private static final int WINDOWS = 15;
    /** Until compiled code is compiled well: about so many windows. */
    private static final int WARM_UP = 120;

    private record Row(Step step, String name, int count, double limit, String note) {}

    private static final List<Row> ROWS = List.of(new Row(Step.READ, "vfio-register-read", 2_000, LIMIT, SOURCE),
            new Row(Step.WRITE, "vfio-register-write", 2_000, Double.NaN, "Java's store is a full fence, C's is none"),
            new Row(Step.MAP_SMALL, "vfio-dma-map-4k", 100, LIMIT, SOURCE),
            new Row(Step.MAP_HUGE, "vfio-dma-map-2m", 30, LIMIT, SOURCE),
            new Row(Step.INTERRUPT, "vfio-interrupt", 60, LIMIT, SOURCE));

    private final Path library;
    private final int rounds;
    private final PciAddress address = Lab.bound(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0);
    private final int group = IommuGroup.of(Lab.SYSFS, address).orElseThrow().number();
    private final Map<Step, List<Double>> java = new EnumMap<>(Step.class);
    private final Map<Step, List<Double>> c = new EnumMap<>(Step.class);

    private VfioLabMain(Path library, int rounds) {
        this.library = library;
        this.rounds = rounds;
    }

    /** {@code LIBRARY ROUNDS [--json]}; exit status 1 when a row is over its limit. */
    public static void main(String[] arguments) {
        List<Result> results = new VfioLabMain(Path.of(arguments[0]), Integer.parseInt(arguments[1])).measure();
        if (arguments.length > 2) {
            System.out.println(json(results));
        } else {
            System.out.println(Machine.describe() + "\n" + METHOD + "\n" + Result.header());
            results.forEach(result -> System.out.println(result.toText()));
        }
        System.exit(results.stream().allMatch(Result::passes) ? 0 : 1);
    }

    private List<Result> measure() {
        try (VfioSteps warm = new VfioJava(address)) {
            for (int i = 0; i < WARM_UP; i++) {
                ROWS.forEach(row -> warm.run(row.step, row.count));
            }
        }
        for (int round = 0; round < rounds; round++) {
            round(() -> new VfioJava(address), java);
            round(() -> VfioTwin.open(library, address, group), c);
        }
        return ROWS.stream().map(this::result).toList();
    }

    private static void round(Supplier<VfioSteps> side, Map<Step, List<Double>> into) {
        try (VfioSteps steps = side.get()) {
            for (Row row : ROWS) {
                List<Double> windows = new ArrayList<>();
                steps.run(row.step, Math.max(1, row.count / 10));
                for (int i = 0; i < WINDOWS; i++) {
                    long start = System.nanoTime();
                    steps.run(row.step, row.count);
                    windows.add((System.nanoTime() - start) / 1_000.0 / row.count);
                }
                into.computeIfAbsent(row.step, step -> new ArrayList<>()).add(Stats.median(windows));
            }
        }
    }

    private Result result(Row row) {
        List<Double> ours = java.getOrDefault(row.step, List.of());
        List<Double> theirs = c.getOrDefault(row.step, List.of());
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            ratios.add(ours.get(i) / theirs.get(i));
        }
        return new Result(row.name, "us", "", Stats.median(ours), Stats.median(theirs), "c", Stats.median(ratios),
                Stats.max(ratios), row.limit, false, WINDOWS * rounds, rounds, row.note);
    }

    private static String json(List<Result> results) {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT,
                "{\"machine\":\"%s\",\"emulated\":true,\"method\":\"%s\",\"rows\":[",
                Result.escape(Machine.describe()), Result.escape(METHOD)));
        String comma = "\n";
        for (Result result : results) {
            text.append(comma).append(result.toJson());
            comma = ",\n";
        }
        return text.append("\n]}").toString();
    }
}
