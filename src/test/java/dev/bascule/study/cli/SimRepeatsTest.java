package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.cli.Cli;
import dev.bascule.cli.PythonClient;
import dev.bascule.json.JsonReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Independent runs of {@code bascule sim}, their intervals, and two points on the same seeds. */
class SimRepeatsTest {
    private static final String[] POINT = { "sim", "cpus=2", "jobs=2000", "load=0.6", "mix=ghost-fifo",
            "transport=on-host" };

    private static String run(int status, String... more) {
        Cli cli = Cli.call(java.util.stream.Stream.concat(java.util.Arrays.stream(POINT), java.util.Arrays.stream(more))
                .toArray(String[]::new));
        assertThat(cli.status()).as(cli.out() + cli.err()).isEqualTo(status);
        return status == 0 ? cli.out() : cli.err();
    }

    private static Map<?, ?> json(String... more) throws Exception {
        String[] all = java.util.Arrays.copyOf(more, more.length + 1);
        all[more.length] = "--json";
        return (Map<?, ?>) JsonReader.parse(run(0, all));
    }

    private static double number(Map<?, ?> of, String key) {
        assertThat(of.get(key)).as("%s in %s", key, of).isInstanceOf(Number.class);
        return ((Number) of.get(key)).doubleValue();
    }

    private static Map<?, ?> object(Map<?, ?> of, String key) {
        assertThat(of.get(key)).as("%s in %s", key, of).isInstanceOf(Map.class);
        return (Map<?, ?>) of.get(key);
    }

    @Test
    void fiveRunsAreTheDefaultAndEachFigureHasItsInterval() throws Exception {
        Map<?, ?> row = json("load=0.3", "jobs=6000");
        assertThat(number(row, "repeats")).isEqualTo(5);
        List<?> runs = (List<?>) row.get("runs");
        assertThat(runs).hasSize(5).doesNotHaveDuplicates();
        double sum = runs.stream().mapToDouble(one -> number((Map<?, ?>) one, "meanNanos")).sum();
        assertThat(number(row, "meanNanos")).as("the mean of the runs' means").isCloseTo(sum / 5,
                org.assertj.core.api.Assertions.within(1e-3));
        for (String figure : List.of("meanNanos", "p50Nanos", "p99Nanos")) {
            assertThat(number(object(row, "half95"), figure)).as(figure).isPositive().isLessThan(number(row, figure));
        }
        assertThat(run(0, "load=0.3", "jobs=6000")).contains("5 runs").contains(" \u00b1 ")
                .contains("95 % intervals (Student's t)").contains("first 10 % of a run are warm-up");
    }

    @Test
    void theFileOfTheCostsIsSaid(@TempDir Path folder) throws Exception {
        Path own = folder.resolve("published.yaml");
        Files.copy(Path.of("hw-configs/costs/published.yaml"), own);
        Map<?, ?> row = json("--repeat", "1", "--costs", own.toString());
        assertThat(row.get("costProfileFile")).isEqualTo(own.toString());
        assertThat(run(0, "--repeat", "1", "--costs", own.toString())).contains("Costs: " + own + ", of " + own);
        assertThat(json("--repeat", "1").get("costProfileFile")).asString().endsWith("hw-configs/costs/published.yaml");
    }

    @Test
    void aRunThatIsTooShortForAPercentileSaysHowManyJobsItNeeds() throws Exception {
        Map<?, ?> row = json();
        assertThat(row.get("p999Nanos")).isNull();
        assertThat(number(object(row, "needsJobsARun"), "p999Nanos")).isEqualTo(10_000);
        assertThat(run(0)).contains("needs 10,000 jobs");
        assertThat(run(0, "jobs=12000", "--repeat", "2")).doesNotContain("needs");
    }

    /** Of M/M/1 at 0.9, intervals of p99.9 over five runs of 50,000 jobs hold the true value in 66 of 100 cases. */
    @Test
    void runsThatAreTooShortForAnIntervalHaveNone() throws Exception {
        String[] point = { "cpus=1", "load=0.8", "mix=trimodal", "jobs=50000" };
        Map<?, ?> row = json(point);
        assertThat(object(row, "half95").get("p999Nanos")).isNull();
        assertThat(number(object(row, "half95"), "p50Nanos")).isPositive();
        assertThat(number(object(row, "intervalNeedsJobsARun"), "p999Nanos")).isBetween(5e5, 3e6);
        assertThat(run(0, point)).contains(", not settled").contains("p99.9 asks for runs of 10,000 times that")
                .contains("(jobs=");
        assertThat(run(0, "cpus=1", "load=0.8", "mix=trimodal", "jobs=12000", "--against", "transport=wave"))
                .contains("p999: the runs are too short");
    }

    @Test
    void theFirstRunIsThatOfTheSeedAndTheOthersFollowFromIt() throws Exception {
        List<?> five = (List<?>) json().get("runs");
        assertThat(json("--repeat", "1").get("runs")).isEqualTo(List.of(five.getFirst()));
        assertThat((List<?>) json().get("runs")).isEqualTo(five);
        assertThat(((List<?>) json("seed=2").get("runs")).stream().filter(five::contains)).isEmpty();
        Map<?, ?> one = json("--repeat", "1");
        assertThat(object(one, "half95").get("meanNanos")).as("one run has no interval").isNull();
        assertThat(run(0, "--repeat", "1")).contains("One run has no intervals");
    }

    @Test
    void twoPointsAreComparedOnTheSameJobs() throws Exception {
        Map<?, ?> row = json("--against", "transport=wave");
        Map<?, ?> second = object(row, "against");
        for (int i = 0; i < 5; i++) {
            Map<?, ?> left = (Map<?, ?>) ((List<?>) row.get("runs")).get(i);
            Map<?, ?> right = (Map<?, ?>) ((List<?>) second.get("runs")).get(i);
            assertThat(number(left, "jobs")).as("run %d", i).isEqualTo(number(right, "jobs"));
        }
        Map<?, ?> mean = object(object(row, "difference"), "meanNanos");
        assertThat(mean.get("distinguishable")).isEqualTo(true);
        assertThat(number(mean, "mean")).as("the link costs time").isPositive();
        double apart = number(object(row, "half95"), "meanNanos") + number(object(second, "half95"), "meanNanos");
        assertThat(number(mean, "high95") - number(mean, "low95")).as("pairs say more than two means")
                .isLessThan(apart);
        assertThat(run(0, "--against", "quantum=20000")).contains("in pairs of runs with the same seed")
                .contains("mean 0 \u00b1 0 us: not distinguishable from 0");
    }

    @Test
    void whatIsAboutOneRunTakesNoRepeats() throws Exception {
        assertThat(run(2, "--why", "3", "--repeat", "2")).contains("about one run").contains("--repeat");
        assertThat(run(2, "--against", "seed=3")).contains("same seeds").contains("leave it out");
        assertThat(run(2, "--repeat", "-1")).contains("1 to 1000");
        assertThat(run(0, "--why", "3", "jobs=300")).contains("1 run,");
    }

    /** CSV as Python reads it: each run and class of both points, with means that make those of the JSON. */
    @Test
    void theCsvOfRunsIsReadByAnotherProgram(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(PythonClient.isHere(), "python3 is not here");
        Path file = folder.resolve("runs.csv");
        Map<?, ?> row = json("mix=high-bimodal", "jobs=12000", "--repeat", "3", "--against", "policy=round-robin",
                "--csv", file.toString());
        List<String> read = PythonClient.script("runs.py", file.toString());
        assertThat(read).hasSize(2 * 3);
        for (Map<?, ?> point : List.of(row, object(row, "against"))) {
            String policy = object(point, "spec").get("policy").toString();
            for (Object one : (List<?>) point.get("slowdown")) {
                String name = ((Map<?, ?>) one).get("name").toString();
                String[] line = read.stream().filter(text -> text.startsWith(policy + " " + name + " ")).findFirst()
                        .orElseThrow().split(" ");
                Map<?, ?> of = name.equals("all")
                        ? point
                        : ((List<?>) point.get("classes")).stream().map(each -> (Map<?, ?>) each)
                                .filter(each -> each.get("name").equals(name)).findFirst().orElseThrow();
                double[] figures = java.util.Arrays.stream(line).skip(2).mapToDouble(Double::parseDouble).toArray();
                assertThat(figures[0]).as("runs").isEqualTo(3);
                assertThat(figures[1]).as("mean").isCloseTo(number(of, "meanNanos"), within(1e-3));
                assertThat(figures[2]).as("p99").isCloseTo(number(of, "p99Nanos"), within(1e-3));
                assertThat(figures[3]).as("slowdown").isCloseTo(number(object((Map<?, ?>) one, "mean"), "mean"),
                        within(1e-3));
                assertThat(figures[4]).as("of all its jobs nobody is served before it came").isGreaterThanOrEqualTo(1);
            }
        }
    }

    /** Shares of each kind of residents, the same in the text, the JSON and the CSV. */
    @Test
    void residentsHaveTheirShareInEveryOutput(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("runs.csv");
        String[] words = { "residents=1:cpus=0+3:cpus=1:run=1ms:pause=9ms", "policy=shinjuku-best-effort", "--repeat",
                "2",
                "--csv", file.toString() };
        Map<?, ?> row = json(words);
        List<?> kinds = (List<?>) row.get("residents");
        assertThat(kinds.stream().map(one -> ((Map<?, ?>) one).get("name").toString()).toList())
                .containsExactly("residents 1:cpus=0", "residents 3:cpus=1:run=1ms:pause=9ms");
        assertThat(number((Map<?, ?>) kinds.getLast(), "threads")).isEqualTo(3);
        String text = run(0, words);
        List<String> lines = Files.readAllLines(file);
        List<String> heads = List.of(lines.getFirst().split(","));
        int at = heads.indexOf("residentShare");
        int kind = heads.indexOf("class");
        double all = 0;
        for (Object one : kinds) {
            Map<?, ?> of = (Map<?, ?>) one;
            double share = number(of, "share");
            assertThat(share).isBetween(0.05, 0.5);
            assertThat(number(of, "cpus")).isCloseTo(2 * share, within(1e-3));
            assertThat(number(of, "shareHalf95")).isPositive();
            assertThat(text)
                    .containsPattern("(?m)^" + of.get("name") + ": [0-9.]+ \u00b1 [0-9.]+ % of the CPUs' time$");
            double mean = lines.stream().map(line -> line.split(",")).filter(line -> line[kind].equals(of.get("name")))
                    .mapToDouble(line -> Double.parseDouble(line[at])).average().orElseThrow();
            assertThat(mean).isCloseTo(share, within(1e-3));
            all += mean;
        }
        double together = lines.stream().map(line -> line.split(",")).filter(line -> line[kind].equals("all"))
                .mapToDouble(line -> Double.parseDouble(line[at])).average().orElseThrow();
        assertThat(together).isCloseTo(all, within(1e-6));
        Path page = folder.resolve("run.html");
        run(0, words[0], words[1], "--report", page.toString(), "--repeat", "1");
        assertThat(Files.readString(page)).contains("of that residents");
        assertThat(run(2, "residents=2:prio=3")).contains("residents=2:prio=3", "'prio=3'", "nice=");
    }

    /** Jobs of 1 us each: slowdown is sojourn by that. */
    @Test
    void slowdownOfJobsOfOneLengthIsTheirSojournByIt() throws Exception {
        Map<?, ?> row = json("mix=fixed", "load=0.5", "jobs=12000", "--repeat", "2");
        double demand = number(row, "meanNanos") / number(object((Map<?, ?>) ((List<?>) row.get("slowdown")).getFirst(),
                "mean"), "mean");
        assertThat(demand).as("ns, but for hundredths that are cut off").isBetween(1_000.0, 1_010.0);
    }
}
