package dev.bascule.bench;

import dev.bascule.bench.KernelSteps.Step;
import dev.bascule.bench.KernelUse.Figure;
import dev.bascule.host.scx.KernelCounters;
import dev.bascule.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * {@code scripts/bench --lab scx}: the same programs under the kernel's own scheduler, under the least that sched_ext can be,
 * and under our agent over each transport, by turns in one run.
 */
public final class KernelLabMain {
    private static final String METHOD = "each column is attached anew in each round, runs the first two programs to warm up, "
            + "then every program once; median of the rounds; the agent is a thread of one JVM, c-agent a process; the policy is first in, first out";

    private final List<Integer> cpus = IntStream.range(0, Runtime.getRuntime().availableProcessors()).boxed().toList();
    private final Map<Step, Map<KernelRuler, List<Double>>> found = new EnumMap<>(Step.class);
    private final Map<Step, Map<KernelRuler, List<KernelUse>>> uses = new EnumMap<>(Step.class);
    private final Map<KernelRuler, Long> local = new EnumMap<>(KernelRuler.class);
    private final Map<KernelRuler, List<Double>> bytes = new EnumMap<>(KernelRuler.class);
    private final boolean isEmulated = System.getenv("BASCULE_LAB") != null;
    private final Path home;
    private final int rounds;

    private KernelLabMain(Path home, int rounds) {
        this.home = home;
        this.rounds = rounds;
    }

    /** {@code HOME ROUNDS [--json]}: HOME is the clone, with target/native as scripts/lab-scx prepares it. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        KernelLabMain main = new KernelLabMain(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
        main.measure();
        System.out.println(Arrays.asList(arguments).contains("--json") ? main.json() : main.text());
    }

    private void measure() throws IOException, InterruptedException {
        Path scratch = Files.createTempDirectory("bascule-bench");
        KernelSteps steps = new KernelSteps(home, scratch);
        for (int round = 1; round <= rounds; round++) {
            for (KernelRuler ruler : KernelRuler.values()) {
                System.err.println("bascule: bench scx: round " + round + " of " + rounds + ", " + ruler.text);
                try (KernelRuler.Rule rule = ruler.begin(cpus, home.resolve("target/native"))) {
                    warmUp(steps, rule);
                    for (Step step : Step.values()) {
                        run(steps, step, ruler, rule);
                    }
                    local.merge(ruler, rule.localDecisions(), Long::sum);
                    bytes.computeIfAbsent(ruler, one -> new ArrayList<>()).add(rule.bytesPerDecision());
                } catch (IllegalStateException e) { // its column stays empty
                    System.err.println("bascule: bench scx: " + ruler.text + ": " + e.getMessage());
                }
            }
        }
    }

    /** A JVM interprets what it has not run often, its C twin never does. */
    private static void warmUp(KernelSteps steps, KernelRuler.Rule rule) throws IOException, InterruptedException {
        steps.run(Step.SWITCHES, rule);
        steps.run(Step.WAKE_UPS, rule);
    }

    /** A program that fails under one scheduler leaves its cell empty, and says why. */
    private void run(KernelSteps steps, Step step, KernelRuler ruler, KernelRuler.Rule rule)
            throws IOException, InterruptedException {
        KernelCounters before = rule.counters();
        long agentNanos = rule.agentNanos();
        long start = System.nanoTime();
        String what = "bascule: bench scx: " + ruler.text + ", " + step.text + ": ";
        try {
            double value = steps.run(step, rule);
            found.computeIfAbsent(step, one -> new EnumMap<>(KernelRuler.class))
                    .computeIfAbsent(ruler, one -> new ArrayList<>()).add(value);
            KernelCounters after = rule.counters();
            if (before != null && after != null) {
                uses.computeIfAbsent(step, one -> new EnumMap<>(KernelRuler.class))
                        .computeIfAbsent(ruler, one -> new ArrayList<>())
                        .add(new KernelUse(before, after, rule.agentNanos() - agentNanos));
            }
            System.err.println(what + (isEmulated ? "" : number(value) + " " + step.unit + ", ")
                    + (System.nanoTime() - start) / 1_000_000_000 + " s");
        } catch (IllegalStateException e) {
            System.err.println(what + e.getMessage());
        }
    }

    private double medianBytes(KernelRuler ruler) {
        return Stats.median(bytes.getOrDefault(ruler, List.of(Double.NaN)));
    }

    private double median(Step step, KernelRuler ruler) {
        return Stats.median(found.getOrDefault(step, Map.of()).getOrDefault(ruler, List.of()));
    }

    private double median(Step step, KernelRuler ruler, Figure figure) {
        return Stats.median(uses.getOrDefault(step, Map.of()).getOrDefault(ruler, List.of()).stream()
                .map(use -> figure.of.applyAsDouble(use)).toList());
    }

    /** How many times slower than under another scheduler. */
    private double slower(Step step, KernelRuler ruler, KernelRuler than) {
        double ratio = median(step, ruler) / median(step, than);
        return step.isRate ? 1 / ratio : ratio;
    }

    private String text() {
        StringBuilder text = new StringBuilder(Machine.describe()).append('\n').append(METHOD).append('\n');
        table(text, "times slower than the kernel's default", KernelRuler.DEFAULT);
        table(text, "times slower than the least BPF scheduler", KernelRuler.BPF);
        table(text, "times slower than the C twin of the agent", KernelRuler.TWIN);
        if (isEmulated) {
            text.append("\nAn emulated machine: ratios only.\n");
        } else {
            heading(text, "as measured");
            for (Step step : Step.values()) {
                row(text, step.text + ", " + step.unit, ruler -> number(median(step, ruler)));
            }
        }
        heading(text, "time of a CPU that the agent took for a decision, times the C twin's");
        for (Step step : Step.values()) {
            row(text, step.text, ruler -> number(
                    median(step, ruler, Figure.COST) / median(step, KernelRuler.TWIN, Figure.COST)));
        }
        for (Figure figure : Figure.values()) {
            if (!isEmulated || !figure.isTime()) {
                heading(text, figure.text);
                for (Step step : Step.values()) {
                    row(text, step.text, ruler -> number(median(step, ruler, figure)));
                }
            }
        }
        row(text.append('\n'), "decisions that were not the agent's",
                ruler -> Long.toString(local.getOrDefault(ruler, 0L)));
        row(text, "bytes allocated by the agent for a decision", ruler -> number(medianBytes(ruler)));
        return text.toString();
    }

    private void table(StringBuilder text, String title, KernelRuler than) {
        heading(text, title);
        for (Step step : Step.values()) {
            row(text, step.text, ruler -> number(slower(step, ruler, than)));
        }
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.2f", value);
    }

    private static void heading(StringBuilder text, String title) {
        row(text.append('\n'), title, ruler -> ruler.text);
    }

    private static void row(StringBuilder text, String name, Function<KernelRuler, String> cell) {
        text.append(String.format(Locale.ROOT, "%-66s", name));
        for (KernelRuler ruler : KernelRuler.values()) {
            text.append(String.format(Locale.ROOT, "%10s", cell.apply(ruler)));
        }
        text.append('\n');
    }

    private String json() {
        List<Json.Obj> rows = new ArrayList<>();
        for (Step step : Step.values()) {
            Json.Obj slower = Json.object();
            Json.Obj values = Json.object();
            for (KernelRuler ruler : KernelRuler.values()) {
                put(slower, ruler, slower(step, ruler, KernelRuler.DEFAULT));
                put(values, ruler, median(step, ruler));
            }
            Json.Obj figures = Json.object();
            for (Figure figure : Figure.values()) {
                Json.Obj each = Json.object();
                uses.getOrDefault(step, Map.of()).keySet()
                        .forEach(ruler -> put(each, ruler, median(step, ruler, figure)));
                figures.put(Json.key(figure.text), each);
            }
            rows.add(Json.object().put("name", step.text).put("unit", step.unit).put("timesSlowerThanDefault", slower)
                    .put("values", values).put("counts", figures));
        }
        Json.Obj others = Json.object();
        local.forEach((ruler, count) -> others.put(ruler.text, count));
        Json.Obj allocated = Json.object();
        bytes.keySet().forEach(ruler -> put(allocated, ruler, medianBytes(ruler)));
        return Json.object().put("machine", Machine.describe()).put("emulated", isEmulated).put("method", METHOD)
                .put("rounds", rounds).put("localDecisions", others)
                .put("bytesPerDecision", allocated).put("rows", Json.array(rows, row -> row)).pretty();
    }

    private static void put(Json.Obj object, KernelRuler ruler, double value) {
        if (!Double.isNaN(value)) {
            object.put(ruler.text, value);
        }
    }
}
