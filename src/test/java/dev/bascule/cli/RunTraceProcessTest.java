package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The trace that the main job writes, as another parser reads it. */
@Tag("process")
class RunTraceProcessTest {
    @TempDir
    private Path temporary;

    /** Events, read line by line: the whole of it is more than this JVM's heap for a parser of YAML. */
    private List<Map<?, ?>> events(Path file) throws Exception {
        Load parser = new Load(LoadSettings.builder().build());
        List<String> lines = Files.readAllLines(file);
        Map<?, ?> document = (Map<?, ?>) parser.loadFromString(lines.getFirst() + lines.getLast());
        assertThat(document.get("displayTimeUnit")).isEqualTo("ns");
        assertThat((List<?>) document.get("traceEvents")).isEmpty();
        List<Map<?, ?>> events = new ArrayList<>();
        for (String line : lines.subList(1, lines.size() - 1)) {
            String event = line.endsWith(",") ? line.substring(0, line.length() - 1) : line;
            events.add((Map<?, ?>) parser.loadFromString(event));
        }
        assertThat(lines.subList(1, lines.size() - 2)).allMatch(line -> line.endsWith(","));
        return events;
    }

    private static List<Map<?, ?>> of(List<Map<?, ?>> events, Object process, String phase) {
        return events.stream().filter(e -> e.get("pid").equals(process) && e.get("ph").equals(phase)).toList();
    }

    private static double number(Map<?, ?> event, String key) {
        return ((Number) event.get(key)).doubleValue();
    }

    @Test
    void aRunOfTheMainJobIsDrawnWithItsCpusAgentAndLink() throws Exception {
        Path file = temporary.resolve("run.json");
        Cli run = Cli.run(Cli.ONE_CARRIER, "run", "--quick", "--patient", "--workload", "spin",
                "--capacity",
                "10000", "--load", "0.3", "--duration", "300ms", "--cpus", "2", "--report", "none", "--trace",
                file.toString());
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.err()).contains("trace written to " + file);
        List<Map<?, ?>> events = events(file);
        Map<Object, Object> processes = new java.util.HashMap<>();
        events.stream().filter(e -> "process_name".equals(e.get("name")))
                .forEach(e -> processes.put(((Map<?, ?>) e.get("args")).get("name"), e.get("pid")));
        for (String transport : List.of("on-host", "wave", "swap")) {
            Object cpus = processes.get(transport + ": CPUs");
            List<Map<?, ?>> runs = of(events, cpus, "X");
            assertThat(runs.size()).as("%s: tasks run", transport).isGreaterThan(500);
            runsFollowOneAnother(transport, runs);
            List<?> said = of(events, processes.get(transport + ": agent"), "i").stream().map(e -> e.get("name"))
                    .toList();
            assertThat(said.contains("ready")).as("%s: the agent is ready", transport).isTrue();
            assertThat(said.stream().filter(name -> name.toString().startsWith("decides task")).count())
                    .as("%s: the agent's decisions; few if a busy machine had it fenced", transport).isPositive();
            wakesLeadToRuns(transport, events, processes.get(transport + ": wake-ups"), cpus);
            Object link = processes.get(transport + ": link");
            journeysEnd(transport, of(events, link, "b"), of(events, link, "e"));
            assertThat(of(events, link, "C")).as("%s: commits and interrupts", transport).isNotEmpty();
        }
    }

    private static void runsFollowOneAnother(String transport, List<Map<?, ?>> runs) {
        for (Object cpu : List.of(0, 1)) {
            List<Map<?, ?>> own = runs.stream().filter(e -> e.get("tid").equals(cpu))
                    .sorted(Comparator.comparingDouble((Map<?, ?> e) -> number(e, "ts"))).toList();
            assertThat(own).as("%s: CPU %s", transport, cpu).isNotEmpty();
            for (int i = 1; i < own.size(); i++) {
                double end = number(own.get(i - 1), "ts") + number(own.get(i - 1), "dur");
                assertThat(number(own.get(i), "ts")).as("%s: CPU %s, run %d", transport, cpu, i)
                        .isGreaterThanOrEqualTo(end - 1e-3);
            }
        }
    }

    /** Each arrow begins in the wake-up of a task and ends where a run of the same task begins. */
    private static void wakesLeadToRuns(String transport, List<Map<?, ?>> events, Object wakes, Object cpus) {
        Map<Double, Object> woken = new java.util.HashMap<>();
        of(events, wakes, "X").forEach(e -> woken.put(number(e, "ts"), e.get("name")));
        Map<String, String> ran = new java.util.HashMap<>();
        of(events, cpus, "X").forEach(e -> ran.put(e.get("tid") + " " + number(e, "ts"), (String) e.get("name")));
        Map<Object, Map<?, ?>> begins = new java.util.HashMap<>();
        of(events, wakes, "s").forEach(e -> assertThat(begins.put(e.get("id"), e)).as("%s: %s", transport, e).isNull());
        List<Map<?, ?>> ends = of(events, cpus, "f");
        assertThat(ends.size()).as("%s: arrows", transport).isGreaterThan(500).isEqualTo(begins.size());
        for (Map<?, ?> end : ends) {
            Map<?, ?> begin = begins.remove(end.get("id"));
            assertThat(number(end, "ts")).as("%s: %s", transport, begin).isGreaterThanOrEqualTo(number(begin, "ts"));
            String task = ((String) woken.get(number(begin, "ts"))).replace("wakes ", "");
            assertThat(ran.get(end.get("tid") + " " + number(end, "ts"))).as("%s: %s", transport, end)
                    .startsWith(task + " ");
        }
    }

    private static void journeysEnd(String transport, List<Map<?, ?>> begins, List<Map<?, ?>> ends) {
        Set<Object> open = new HashSet<>();
        begins.forEach(e -> open.add(e.get("id")));
        assertThat(open).as("%s: one id for each decision", transport).hasSameSizeAs(begins);
        for (Map<?, ?> end : ends) {
            assertThat(open.remove(end.get("id"))).as("%s: %s", transport, end).isTrue();
        }
        assertThat(open).as("%s: without an end", transport).isEmpty();
    }

    @Test
    void withoutTheOptionNoTraceIsWritten() throws Exception {
        Cli help = Cli.call("run", "--help");
        assertThat(help.out()).contains("--trace=FILE").contains("run --quick --trace run.json");
        assertThat(Cli.call("run", "--quick", "--trace").status()).as("a file is needed").isNotZero();
    }
}
