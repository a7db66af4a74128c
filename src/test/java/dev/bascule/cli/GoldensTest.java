package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.house.Golden;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Output of the commands, compared with that which was looked at last: texts where time is virtual, the
 * keys of JSON where it is not. {@link Golden} says how a change is made on purpose.
 */
class GoldensTest {
    private static final String[] POINT = { "cpus=4", "load=0.7", "mix=high-bimodal", "jobs=2000", "seed=7" };

    @TempDir
    private Path folder = Path.of("");

    private static Cli done(Cli cli) {
        assertThat(cli.status()).as(cli.out() + cli.err()).isZero();
        return cli;
    }

    private static String[] words(String command, String[] point, String... more) {
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(Arrays.asList(point));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    private static void reproduces(String name, String... options) throws Exception {
        Golden.check("reproduce-" + name + ".txt",
                done(Cli.callOne(words("reproduce", new String[] { name, "--quick" }, options))).out());
    }

    @Test
    void theProposalsChainsAreReproducedAsBefore() throws Exception {
        reproduces("nagare");
    }

    @Test
    void aSmallRpcIsReproducedAsBefore() throws Exception {
        reproduces("lauberhorn", "--no-live");
    }

    @ByTurns(of = 4)
    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = { "wave --no-live --repeat 1", "fito --repeat 1", "ghost --repeat 1", "enso --no-apps" })
    void theLongExperimentsAreReproducedAsBefore(String experiment) throws Exception {
        String[] parts = experiment.split(" ");
        reproduces(parts[0], Arrays.copyOfRange(parts, 1, parts.length));
    }

    @Test
    void aSimulatedPointIsAsBefore() throws Exception {
        Golden.check("sim.txt", done(Cli.callOne(words("sim", POINT, "policy=shinjuku", "transport=wave", "--repeat",
                "2", "--against", "transport=swap1"))).out());
    }

    @ParameterizedTest
    @ValueSource(strings = { "hosts=2", "enclaves=2", "mix=vm policy=gang siblings=2 load=1", "agents=2" })
    void theJsonOfASimulatedPointHasItsKeys(String more) throws Exception {
        String json = done(Cli.callOne(words("sim", POINT, (more + " --repeat 2 --json").split(" ")))).out();
        Golden.checkKeys("sim-" + more.replaceAll("[= ].*", "") + ".keys", json);
    }

    @Test
    void tracesOfSimulatedRunsHaveTheirDigests() throws Exception {
        StringBuilder found = new StringBuilder();
        for (String transport : List.of("on-host", "wave", "wave-push", "wave-on-demand", "swap0", "swap1", "swap-end",
                "one-word", "swap1-push")) {
            Path trace = folder.resolve(transport + ".json");
            Path record = folder.resolve(transport + ".trace");
            done(Cli.callOne(words("sim", POINT, "transport=" + transport, "staged=4", "--trace", trace.toString())));
            done(Cli.callOne(words("sim", POINT, "transport=" + transport, "staged=4", "--record", record.toString())));
            found.append(transport).append(" --trace ").append(Golden.digest(Files.readAllBytes(trace)))
                    .append(" --record ").append(Golden.digest(Files.readAllBytes(record))).append('\n');
        }
        Golden.check("sim-traces.txt", found.toString());
    }

    @Test
    void aSweptPointIsAsBefore() throws Exception {
        Path file = folder.resolve("sweep.jsonl");
        done(Cli.callOne(words("sweep", POINT, "transport=on-host,wave", "--repeat", "2", "--index", "1", "--out",
                file.toString())));
        String line = Files.readString(file);
        Golden.checkKeys("sweep.keys", line);
        Golden.check("sweep.jsonl", line);
    }

    /** Whatever the machine lets it measure: its keys are the same when it is too busy for a good verdict. */
    private static void hasKeys(String file, String... words) throws Exception {
        Golden.checkKeys(file, Cli.callOne(words).out());
    }

    @ByTurns(of = 2)
    @ParameterizedTest
    @Tag("process")
    @ValueSource(strings = { "run --transport on-host,wave,swap,no-agent",
            "run-enclaves --enclave web:0 --enclave batch:1:transport=swap" })
    void theJsonOfARunHasItsKeys(String named) throws Exception {
        String[] parts = named.split(" ");
        hasKeys(parts[0] + ".keys", words("run", Arrays.copyOfRange(parts, 1, parts.length), "--quick", "--json",
                "--workload", "spin", "--cpus", "2", "--capacity", "2000", "--load", "0.5", "--report",
                folder.resolve("run.html").toString()));
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @Tag("process")
    @ValueSource(strings = { "E3", "E5", "E9" })
    void theJsonOfAComparisonHasItsKeys(String experiment) throws Exception {
        compare(experiment);
    }

    @Test
    @Tag("long")
    void theJsonOfFaultsComparedHasItsKeys() throws Exception {
        compare("E8");
    }

    private static void compare(String experiment) throws Exception {
        hasKeys("compare-" + experiment + ".keys", "compare", "--quick", "--json", "--experiment", experiment,
                "--transport", "on-host,swap1", "--report", "none");
    }

    @Test
    @Tag("process")
    void theJsonOfTierHasItsKeys() throws Exception {
        Cli tier = done(
                Cli.run("tier", "--period", "50ms", "--source", "referenced", "--quiet", "--json", "--", "sleep",
                        "1"));
        Golden.checkKeys("tier.keys", tier.err());
    }
}
