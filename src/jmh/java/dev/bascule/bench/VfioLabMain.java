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

/**
 * {@code scripts/bench --lab}, in the virtual machine: Java and C each open an edu device of their own and do the same
 * steps, in windows by turns; the next round exchanges the devices. The machine is emulated, so that only the ratio of
 * the two says anything, and not how long a step takes on hardware.
 */
public final class VfioLabMain {
    private static final String METHOD = "emulated machine: ratios only; Java and C drive one of two like devices each, "
            + "by turns, in one process, interrupts of both on one core; ratio = median of the ratios of neighbour windows, worst = of a round";
    private static final String SOURCE = "issue 4, Speed";
    private static final double LIMIT = 1.2;
    private static final int WINDOWS = 40;
    /** Until the JIT compiler is done, which in an emulated machine takes many seconds: about so many windows. */
    private static final int WARM_UP = 400;

    private record Row(Step step, String name, int count, double limit, String note) {}

    private static final List<Row> ROWS = List.of(new Row(Step.READ, "vfio-register-read", 2_000, LIMIT, SOURCE),
            new Row(Step.WRITE, "vfio-register-write", 2_000, Double.NaN, "Java's store is a full fence, C's is none"),
            new Row(Step.MAP_SMALL, "vfio-dma-map-4k", 60, LIMIT, SOURCE),
            new Row(Step.MAP_HUGE, "vfio-dma-map-2m", 20, LIMIT, SOURCE),
            new Row(Step.INTERRUPT, "vfio-interrupt", 60, LIMIT, SOURCE));

    /** What one step took in microseconds: every window of either side, neighbours at the same index. */
    private record Times(List<Double> java, List<Double> c, List<Double> roundRatios) {
        Times() {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }
    }

    private final Path library;
    private final int rounds;
    private final List<PciAddress> devices = List.of(Lab.bound(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0),
            Lab.bound(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 1));
    private final Map<Step, Times> times = new EnumMap<>(Step.class);

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
        try (VfioSteps warm = new VfioJava(devices.getFirst())) {
            for (int i = 0; i < WARM_UP; i++) {
                ROWS.forEach(row -> warm.run(row.step, row.count));
            }
        }
        for (int round = 0; round < rounds; round++) {
            PciAddress other = devices.get((round + 1) % 2);
            int group = IommuGroup.of(Lab.SYSFS, other).orElseThrow().number();
            try (VfioSteps java = new VfioJava(devices.get(round % 2));
                    VfioSteps c = VfioTwin.open(library, other, group)) {
                ROWS.forEach(row -> compare(row, java, c, times.computeIfAbsent(row.step, step -> new Times())));
            }
        }
        return ROWS.stream().map(this::result).toList();
    }

    private static void compare(Row row, VfioSteps java, VfioSteps c, Times into) {
        window(row, java);
        window(row, c);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < WINDOWS; i++) {
            boolean javaFirst = i % 2 == 0;
            double first = window(row, javaFirst ? java : c);
            double second = window(row, javaFirst ? c : java);
            into.java.add(javaFirst ? first : second);
            into.c.add(javaFirst ? second : first);
            ratios.add(into.java.getLast() / into.c.getLast());
        }
        into.roundRatios.add(Stats.median(ratios));
    }

    private static double window(Row row, VfioSteps side) {
        long start = System.nanoTime();
        side.run(row.step, row.count);
        return (System.nanoTime() - start) / 1_000.0 / row.count;
    }

    private Result result(Row row) {
        Times found = times.getOrDefault(row.step, new Times());
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < found.java.size(); i++) {
            ratios.add(found.java.get(i) / found.c.get(i));
        }
        return new Result(row.name, "us", "", Stats.median(found.java), Stats.median(found.c), "c",
                Stats.median(ratios), Stats.max(found.roundRatios), row.limit, false, found.java.size(), rounds,
                row.note);
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
