package dev.bascule.bench;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Bytes allocated per operation, by JMH's gc profiler: a row for each benchmark method of the listed classes. */
final class AllocationBenchmark implements Benchmark {
    private static final String PREFIX = "allocation/";
    /** Rows that stand with others of the same thing. */
    private static final Map<String, String> ELSEWHERE = Map.of("RpcDispatchBenchmark.request",
            "lauberhorn/bytes-per-request");
    /**
     * What the profiler itself leaves behind, in bytes per operation: tens of kilobytes a second. One object of 16 bytes in
     * three hundred operations would be more.
     */
    private static final double NOTHING = 0.05;

    /** Classes whose benchmarks must not allocate. */
    private static final List<Class<?>> CLASSES = List.of(SlotRingBenchmark.class, AgentApiBenchmark.class,
            RpcDispatchBenchmark.class);

    @Override
    public List<String> rows() {
        return CLASSES.stream().flatMap(type -> rows(type).stream()).toList();
    }

    private static List<String> rows(Class<?> type) {
        List<String> rows = new ArrayList<>();
        for (var method : type.getDeclaredMethods()) {
            if (method.isAnnotationPresent(org.openjdk.jmh.annotations.Benchmark.class)) {
                String name = type.getSimpleName() + "." + method.getName();
                parameters(type).forEach(value -> rows.add(row(name + value)));
            }
        }
        return rows;
    }

    /** What the values of the class's only parameter, if it has one, add to a row's name. */
    private static List<String> parameters(Class<?> type) {
        for (var field : type.getDeclaredFields()) {
            Param param = field.getAnnotation(Param.class);
            if (param != null) {
                return Stream.of(param.value()).map(value -> "/" + value).toList();
            }
        }
        return List.of("");
    }

    private static String row(String benchmark) {
        return ELSEWHERE.getOrDefault(benchmark, PREFIX + benchmark.replace("Benchmark.", "."));
    }

    /** Its methods that have one of the rows. */
    private static Set<String> methods(Class<?> type, Set<String> wanted) {
        return Stream.of(type.getDeclaredMethods()).map(Method::getName)
                .filter(method -> parameters(type).stream()
                        .anyMatch(value -> wanted.contains(row(type.getSimpleName() + "." + method + value))))
                .collect(Collectors.toSet());
    }

    @Override
    public List<Result> measure(Session session, Set<String> wanted) throws IOException {
        List<Result> results = new ArrayList<>();
        for (Class<?> type : CLASSES) {
            Set<String> methods = methods(type, wanted);
            if (methods.isEmpty()) {
                continue;
            }
            var options = new OptionsBuilder()
                    .include("^" + type.getName().replace(".", "\\.") + "\\.(" + String.join("|", methods) + ")$")
                    .addProfiler(GCProfiler.class).verbosity(VerboseMode.SILENT).build();
            try {
                results.addAll(results(new Runner(options).run()));
            } catch (RunnerException e) {
                rows(type).forEach(row -> results.add(Result.notMeasured(row, "B", NOTHING, e.toString())));
            }
        }
        return results.stream().filter(r -> wanted.contains(r.name())).toList();
    }

    private static List<Result> results(Collection<RunResult> runs) {
        List<Result> results = new ArrayList<>();
        for (RunResult run : runs) {
            String method = run.getParams().getBenchmark();
            String value = run.getParams().getParamsKeys().stream().map(key -> "/" + run.getParams().getParam(key))
                    .collect(Collectors.joining());
            String name = method.substring(AllocationBenchmark.class.getPackageName().length() + 1) + value;
            double bytes = run.getSecondaryResults().get("gc.alloc.rate.norm").getScore();
            results.add(new Result(row(name), "B", "", bytes, Double.NaN, "", bytes, bytes, NOTHING, false,
                    (int) run.getPrimaryResult().getSampleCount(), 1,
                    String.format(java.util.Locale.ROOT, "%.1f ns per operation on one thread",
                            run.getPrimaryResult().getScore())));
        }
        return results;
    }
}
