package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.BadPolicies;
import dev.bascule.cli.Cli;
import dev.bascule.run.Errors;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the simulation's commands say to bad input, and the status they end with. */
@Tag("process")
class BadSimulationProcessTest {
    private static final String OWN = BadPolicies.class.getName() + "$";

    @TempDir
    private Path folder;

    private static void refused(Cli cli, String... words) {
        assertThat(cli.status()).as(cli.out() + cli.err()).isIn(Errors.FAILED, Errors.USAGE);
        assertThat(cli.out()).isEmpty();
        assertThat(cli.err()).startsWith("bascule: ").contains(words).doesNotContain("\tat ");
    }

    /** Line 10 of the profile begins {@code contextSwitch}, line 11 is its value, line 12 its unit. */
    @ParameterizedTest
    @CsvSource({
            "missing, contextSwitch:, contextSwitcher:, contextSwitch",
            "negative, value: 410, value: -410, -410",
            "unitless, 'value: 410\n    unit: ns', value: 410, unit",
            "other-unit, 'value: 410\n    unit: ns', 'value: 410\n    unit: kg', kg" })
    void aBadConstantOfACostProfileIsNamedWithItsPlace(String name, String what, String instead, String word)
            throws Exception {
        String good = Files.readString(Path.of("hw-configs/costs/published.yaml"));
        assertThat(good).contains(what);
        Path bad = folder.resolve(name + ".yaml");
        Files.writeString(bad, good.replace(what, instead));
        String place = name + ".yaml:";
        refused(Cli.run("sim", "jobs=300", "--costs", bad.toString()), place, word);
        refused(Cli.run("sweep", "jobs=300", "load=0.3,0.5", "--costs", bad.toString(), "--out",
                folder.resolve("none.jsonl").toString()), place, word);
        refused(Cli.run("reproduce", "wave", "--quick", "--costs", bad.toString()), place, word);
        assertThat(folder.resolve("none.jsonl")).doesNotExist();
    }

    @Test
    void moreLoadThanCanBeDoneIsReportedAndEnds() throws Exception {
        Cli text = Cli.run("sim", "cpus=2", "jobs=3000", "load=1.7");
        assertThat(text.status()).as(text.err()).isZero();
        assertThat(text.out()).contains("OVERLOADED");
        Path file = folder.resolve("over.jsonl");
        Cli sweep = Cli.run("sweep", "cpus=2", "jobs=3000", "load=0.4,1.7", "--out", file.toString());
        assertThat(sweep.status()).as(sweep.err()).isZero();
        assertThat(Files.readAllLines(file)).filteredOn(row -> row.contains("\"overloaded\":true")).singleElement()
                .asString().contains("\"load\":\"1.7\"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "Never | no decision within 20000 us",
            "Thrower | policy dev.bascule.cli.BadPolicies$Thrower threw IllegalStateException: broken policy at dev.bascule.cli.BadPolicies$Thrower.doWork (BadPolicies.java:",
            "Recursion | threw StackOverflowError at dev.bascule.cli.BadPolicies$Recursion.doWork (BadPolicies.java:",
            "Hoarder | threw OutOfMemoryError: Java heap space at dev.bascule.cli.BadPolicies$Hoarder.doWork (BadPolicies.java:",
            "Twice | policy dev.bascule.cli.BadPolicies$Twice: pick for CPU 1 returned task ",
            "Looper | the policy loops without consuming or waiting, at dev.bascule.cli.BadPolicies$Looper.doWork (BadPolicies.java:" })
    void aPolicyThatFailsIsFencedAndTheRunEndsWithTheReason(String policy, String reason) throws Exception {
        Cli cli = Cli.run("sim", "cpus=2", "jobs=3000", "load=0.3", "--repeat", "1", "policy=" + OWN + policy);
        assertThat(cli.status()).as(cli.out() + cli.err()).isEqualTo(Errors.FAILED);
        assertThat(cli.err()).contains("bascule: the agent failed").contains(reason)
                .contains("the built-in policy made")
                .doesNotContain("\tat ");
        assertThat(cli.out()).as("every job was done").containsPattern("[23],\\d\\d\\d jobs in 1 run")
                .contains("incident: ");
    }

    @Test
    void aTaskThatThePolicyForgetsIsSaidToStarve() throws Exception {
        Cli cli = Cli.run("sim", "cpus=2", "jobs=200000", "load=1.2", "mix=exponential", "--repeat", "1",
                "policy=" + OWN + "Forgetful");
        assertThat(cli.out()).as(cli.err()).contains("starvation: ")
                .containsPattern("task 199 starves: runnable for 10[01] ms while [\\d,]+ later ones were started");
    }

    @Test
    void aPolicyThatLoopsAndCallsNothingIsEndedInRealTime() throws Exception {
        refused(Cli.run("sim", "cpus=2", "jobs=1000", "load=0.3", "policy=" + OWN + "Mute"), "Mute",
                RoundWatch.MOST_SECONDS + " s of real time");
    }

    @Test
    void aPolicyThatFailsIsAResultOfASweep() throws Exception {
        Path file = folder.resolve("failing.jsonl");
        Cli cli = Cli.run("sweep", "cpus=2", "jobs=3000", "load=0.3", "policy=fifo," + OWN + "Thrower", "--out",
                file.toString());
        assertThat(cli.status()).as(cli.err()).isZero();
        assertThat(cli.err()).contains("broken policy");
        assertThat(Files.readAllLines(file)).hasSize(2).anyMatch(row -> row.contains("\"incidents\":0"))
                .anyMatch(row -> row.contains("Thrower") && !row.contains("\"incidents\":0"));
    }

    @ParameterizedTest
    @CsvSource({ "no.such.Policy, no such class", "java.lang.String, does not implement",
            "dev.bascule.cli.BadPolicies$NeedsMore, constructor" })
    void aClassThatIsNoPolicyIsRefused(String policy, String word) throws Exception {
        refused(Cli.run("sim", "policy=" + policy), policy, word);
    }

    @ParameterizedTest
    @ValueSource(strings = { "cpus=4,0", "cpus=4,4097", "load=0.5,x", "load=0.5,-1", "policy=fifo,none",
            "transport=wave,rdma", "mix=ghost-fifo,nothing", "latency=50,-5", "quantum=0", "staged=1,65",
            "siblings=1,3", "sockets=1,3", "sockets=1,-2", "sockets=1,65", "polling=maybe", "jobs=1e12", "seed=-3",
            "policy=fifo,darc mix=vm",
            "mix=fixed,vm clients=4", "stages=3:4,3:x mix=chain", "stages=3:4,5 mix=chain", "stages=3:4,0:1 mix=chain",
            "warmup=0.1,0.95", "clients=4,-1", "clients=4,100001", "clients=4,2.5", "clients=0,3 load=0.7",
            "think=0,-1 clients=3",
            "policy=fifo,edf clients=3", "policy=fifo,edf mix=chain", "arrivals=poisson,bursts:0",
            "arrivals=poisson,onoff:1ms clients=3" })
    void anImpossiblePointIsNamedBeforeAnythingRuns(String axes) throws Exception {
        Path file = folder.resolve("grid.jsonl");
        String[] words = ("sweep " + axes + " --out " + file).split(" ");
        String value = axes.split("[=, ]")[axes.contains(",") ? 2 : 1];
        Cli said = Cli.callOne(words); // thirty of them: no JVM for each
        assertThat(said.status()).isEqualTo(Errors.USAGE);
        refused(said, "is impossible", value);
        assertThat(file).doesNotExist();
    }

    @Test
    void resultsOfAnotherVersionAreRefusedAndLeftAsTheyAre() throws Exception {
        Path file = folder.resolve("old.jsonl");
        String[] sweep = { "sweep", "cpus=1", "jobs=300", "load=0.3", "--out", file.toString() };
        assertThat(Cli.run(sweep).status()).isZero();
        String row = Files.readString(file);
        String version = row.substring("{\"version\":".length(), row.indexOf(','));
        String old = row.replaceFirst("^\\{\"version\":" + version + ",", "{\"version\":999,");
        assertThat(old).isNotEqualTo(row);
        Files.writeString(file, old);
        refused(Cli.run(sweep), "old.jsonl:1:", "version 999", "version " + version, "--out");
        assertThat(Files.readString(file)).isEqualTo(old);
        Files.writeString(file, "cpu,load\n1,0.3\n");
        refused(Cli.run(sweep), "old.jsonl:1:", "no row of a sweep");
    }

    @Test
    void aRecordThatIsNoneOrOfAnotherRunIsADifference() throws Exception {
        Path record = folder.resolve("other.trace");
        Files.writeString(record, "no trace at all");
        Cli cli = Cli.run("sim", "cpus=1", "jobs=300", "--replay", record.toString());
        assertThat(cli.status()).isEqualTo(Errors.FAILED);
        assertThat(cli.out()).contains("replay: differs from event 0").contains("same release");
        refused(Cli.run("sim", "cpus=1", "jobs=300", "--replay", folder.resolve("gone.trace").toString()),
                "gone.trace");
    }
}
