package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.json.JsonReader;
import dev.bascule.run.Errors;
import dev.bascule.run.Transports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies by name and by class, as a user starts them: in an empty folder, the agent in a process of its own. */
@Tag("process")
class PolicyProcessTest {
    private static final List<String> SHORT = List.of("run", "--quick", "--transport", "wave", "--workload", "spin",
            "--mix", "ghost-rocksdb", "--capacity", "4000", "--load", "0.4", "--duration", "300ms", "--report", "none",
            "--json", "--patient");

    @TempDir
    private static Path made;
    private static Path jar = Path.of("");

    @TempDir
    private Path empty;

    @BeforeAll
    static void compile() throws Exception {
        jar = PolicyJar.in(made);
    }

    private Cli run(String... more) throws Exception {
        List<String> words = new ArrayList<>(SHORT);
        words.addAll(List.of(more));
        return Cli.runIn(empty, Cli.ONE_CARRIER, words.toArray(String[]::new));
    }

    private static Map<?, ?> transport(Cli cli) throws Exception {
        assertThat(cli.status()).as("%s%s", cli.out(), cli.err()).isZero();
        Map<?, ?> document = (Map<?, ?>) JsonReader.parse(cli.out());
        return (Map<?, ?>) ((List<?>) document.get("transports")).getFirst();
    }

    private static void refused(Cli cli, String... words) {
        assertThat(cli.status()).as(cli.out() + cli.err()).isIn(Errors.FAILED, Errors.USAGE);
        assertThat(cli.out()).isEmpty();
        assertThat(cli.err()).startsWith("bascule: ").contains(words).doesNotContain("\tat ");
    }

    private static double decisions(Map<?, ?> transport) {
        return number(transport, "decisions", "made");
    }

    /** One run for all that is said of a transport. */
    @Test
    void aShippedPolicyOverEveryTransportHasCapacitiesAndClassesBesideTheHostsOwnQueue() throws Exception {
        Cli cli = Cli.runIn(empty, Cli.ONE_CARRIER, "run", "--quick", "--policy", "shinjuku", "--policy-option",
                "quantum=20us", "--workload", "spin", "--mix", "ghost-rocksdb", "--load", "0.3", "--duration", "300ms",
                "--report", "none", "--json", "--patient");
        assertThat(cli.status()).as("%s%s", cli.out(), cli.err()).isZero();
        Map<?, ?> document = (Map<?, ?>) JsonReader.parse(cli.out());
        assertThat(document.get("isWrong")).isEqualTo(false);
        List<?> all = (List<?>) document.get("transports");
        boolean hasPrice = isWithinCapacity(all, true) && isWithinCapacity(all, false);
        assertThat(document.get("priceOfDelegation").toString().isBlank()).as("beyond a capacity there is no price: %s",
                cli.out()).isEqualTo(!hasPrice);
        assertThat(all).extracting(one -> ((Map<?, ?>) one).get("transport"))
                .hasToString("[on-host, wave, swap, no-agent]");
        for (Object one : all) {
            isWhole((Map<?, ?>) one);
        }
    }

    /** Whether any of those with an agent, or the one without, answered what was offered: on a busy machine not all do. */
    private static boolean isWithinCapacity(List<?> transports, boolean isDelegated) {
        return transports.stream().map(one -> (Map<?, ?>) one)
                .filter(one -> isDelegated != Transports.NO_AGENT.equals(one.get("transport")))
                .anyMatch(one -> !Boolean.TRUE.equals(one.get("saturated")));
    }

    private static void isWhole(Map<?, ?> of) {
        String name = of.get("transport") + "";
        assertThat(number(of, "capacity", "perSecond")).as(name).isPositive();
        if (name.equals(Transports.NO_AGENT)) {
            assertThat(((Map<?, ?>) of.get("decisions")).get("made")).as(name).isNull();
        } else {
            assertThat(decisions(of)).as(name).isPositive();
        }
        List<?> classes = (List<?>) of.get("classes");
        assertThat(classes).as(name).extracting(one -> ((Map<?, ?>) one).get("name")).hasToString("[GET, RANGE]");
        Map<?, ?> get = (Map<?, ?>) ((Map<?, ?>) classes.getFirst()).get("latencyMicros");
        assertThat(Stream.of("p50", "p99", "p999").map(get::get).filter(Number.class::isInstance)
                .map(known -> ((Number) known).doubleValue())).as(name).isNotEmpty().isSorted()
                .allMatch(micros -> micros >= 10, "at least the service time");
        long served = classes.stream().mapToLong(one -> ((Number) ((Map<?, ?>) one).get("count")).longValue()).sum();
        assertThat(number(of, "requests", "served")).as(name).isEqualTo(served);
        assertThat(number(of, "requests", "lost")).as(name).isZero();
        assertThat(number(of, "requests", "duplicated")).as(name).isZero();
    }

    private static double number(Map<?, ?> of, String group, String key) {
        return ((Number) ((Map<?, ?>) of.get(group)).get(key)).doubleValue();
    }

    /** The question of an agent's writer, in one run. */
    @Test
    void severalPoliciesAreColumnsWithAVerdict() throws Exception {
        Path note = empty.resolve("note");
        String[] more = { "--policy", "fifo,own=my.Sejf", "--policy-path", jar.toString(), "--policy-option",
                "own.note=" + note, "--repeat", "3" };
        Cli cli = run(more);
        Map<?, ?> fifo = transport(cli);
        Map<?, ?> document = (Map<?, ?>) JsonReader.parse(cli.out());
        List<?> all = (List<?>) document.get("transports");
        assertThat(all).extracting(one -> ((Map<?, ?>) one).get("transport")).hasToString("[fifo, own]");
        assertThat(document.get("reference")).isEqualTo("fifo");
        Map<?, ?> own = (Map<?, ?>) all.get(1);
        assertThat(decisions(fifo)).isPositive();
        assertThat(decisions(own)).isPositive();
        assertThat(own.get("description").toString()).startsWith("policy my.Sejf note=" + note)
                .contains("queues through its memory");
        assertThat(note).as("the class itself decided, with its own option").exists();
        assertThat(document.get("verdicts").toString()).contains("own");
    }

    @Test
    void onePlainRunOfSeveralPoliciesSaysThatItTellsLittle() throws Exception {
        List<String> words = new ArrayList<>(SHORT);
        words.remove("--json");
        words.addAll(List.of("--policy", "fifo,cfs"));
        Cli cli = Cli.runIn(empty, Cli.ONE_CARRIER, words.toArray(String[]::new));
        assertThat(cli.status()).as("%s%s", cli.out(), cli.err()).isZero();
        assertThat(cli.out()).containsPattern("unit +fifo +cfs +cfs/fifo").contains("--repeat 5");
    }

    @ParameterizedTest
    @CsvSource({ "fifo;fifo, twice", "fifo;nothing, no policy is called 'nothing'", "fifo;, no policy is called ''",
            "fifo;cfs --policy-option latency=5ms, say whose: cfs.latency=5ms",
            "a=cfs;b=cfs --policy-option latency=5ms, say whose: b.latency=5ms",
            "a=cfs;b=slow, no policy is called 'slow'",
            "cfs;cfs, 'give them names, as a=cfs,b=cfs'",
            "fifo;cfs --transport wave;swap, one transport", "fifo;cfs --external-agent --region r, --external-agent",
            "fifo;cfs --capacity 9 --enclave a:0, --enclave" })
    void whatSeveralPoliciesDoNotGoWithIsSaid(String words, String why) {
        String[] all = ("run --policy " + words).replace(';', ',').split(" ");
        refused(Cli.call(all), why);
    }

    @Test
    void aPolicyThatNeedsTheWorkloadsClassesGetsThem() throws Exception {
        assertThat(decisions(transport(run("--policy", "darc")))).isPositive();
    }

    @Test
    void aClassFromAJarDecidesInAProcessOfItsOwnAndSeesEveryHint() throws Exception {
        Path note = empty.resolve("note");
        Map<?, ?> wave = transport(run("--policy", "my.Sejf", "--policy-path", jar.toString(), "--policy-option",
                "note=" + note, "--nice", "RANGE=10"));
        assertThat(decisions(wave)).isPositive();
        assertThat(note).hasContent("nice 10, expected 5000000, deadline true");
    }

    @Test
    void aClassFromAFolderIsSimulatedUnderTheSameName() throws Exception {
        String[] words = { "sim", "cpus=2", "jobs=500", "mix=high-bimodal", "policy=my.Sejf", "--policy-path",
                made.resolve("classes").toString() };
        Cli cli = Cli.runIn(empty, List.of(), words);
        assertThat(cli.status()).as(cli.err()).isZero();
        assertThat(cli.out()).contains("policy=my.Sejf").containsPattern("short +\\d+ +[\\d.]+,")
                .containsPattern("long +\\d+ +[\\d.]+,").contains(" 0 by the host");
        Path rows = empty.resolve("rows.jsonl");
        Cli sweep = Cli.runIn(empty, List.of(), "sweep", "cpus=2", "jobs=500", "policy=my.Sejf", "policy.note=,"
                + empty.resolve("seen"), "mix=high-bimodal", "--policy-path", jar.toString(), "--out", rows.toString());
        assertThat(sweep.status()).as(sweep.err()).isZero();
        assertThat(Files.readAllLines(rows)).hasSize(2).allMatch(row -> row.contains("\"name\":\"long\",\"count\":"));
        assertThat(empty.resolve("seen")).hasContent("nice 0, expected 100000, deadline false");
    }

    @ParameterizedTest
    @ValueSource(strings = { "run --quick", "compare --quick", "agent --attach /nowhere" })
    void aMissingJarIsNamedBeforeAnythingStarts(String command) throws Exception {
        String words = command + " --policy my.Sejf --policy-path gone.jar";
        refused(Cli.runIn(empty, List.of(), words.split(" ")), empty.resolve("gone.jar") + "", "no such jar or folder");
        assertThat(empty).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({ "my.Shortest, there is no such class in, my.Sejf", "my.NoAgent, does not implement, dev.bascule.agent",
            "my.Demanding, public constructor, Map<String" })
    void aClassThatIsNoPolicyIsNamedWithTheReason(String name, String reason, String more) {
        String path = jar.toString();
        refused(Cli.call("run", "--policy", name, "--policy-path", path), name, reason, more);
        refused(Cli.call("sim", "policy=" + name, "--policy-path", path), name, reason, more);
    }

    @Test
    void aConstructorThatThrowsIsNamedWithItsPlace() {
        refused(Cli.call("run", "--policy", "my.Sejf", "--policy-path", jar.toString(), "--policy-option", "broken=1"),
                "my.Sejf", "its constructor threw java.lang.IllegalStateException: no luck today", "Sejf.java:");
    }

    @Test
    void anOptionThatIsNoneIsNamedWithWhatThereIs() {
        String path = jar.toString();
        refused(Cli.call("run", "--policy", "my.Plain", "--policy-path", path, "--policy-option", "speed=9"),
                "my.Plain", "takes no options", "speed");
        refused(Cli.call("run", "--policy", "cfs", "--policy-option", "quantum=5us"), "cfs",
                "no option 'quantum'", "latency=10ms", "granularity=1ms");
        refused(Cli.call("run", "--policy", "round-robin", "--policy-option", "quantum=5"), "round-robin",
                "quantum=5", "as 50us");
        refused(Cli.call("compare", "--policy", "gang", "--policy-option", "tenure=-1ms"), "gang", "tenure=-1ms");
        refused(Cli.call("sim", "policy=cfs", "policy.slice=5us"), "cfs", "no option 'slice'");
        refused(Cli.call("sim", "policy=shinjuku", "policy.quantum=5us", "quantum=5000"), "leave one out");
    }

    @Test
    void aFileThatIsNoJarIsSaidToBeNone() throws Exception {
        Path file = Files.writeString(empty.resolve("notes.txt"), "no jar");
        refused(Cli.call("run", "--policy", "my.Sejf", "--policy-path", file.toString()), file.toString(),
                "neither a folder nor a readable jar");
    }

    @Test
    void aPriorityForAClassThatIsNoneIsRefused() {
        refused(Cli.call("run", "--nice", "SCAN=5"), "SCAN", "GET, RANGE");
        refused(Cli.call("run", "--nice", "RANGE=20"), "--nice 20", "-20 to 19");
    }

    @Test
    void allThatShipAreListedWithTheirOptions() {
        Cli cli = Cli.call("policies");
        assertThat(cli.status()).isZero();
        assertThat(cli.out()).contains("shinjuku", "quantum=30us", "darc", "fifo-per-cpu");
        assertThat(Cli.call("policies", "--json").out()).contains("\"shinjuku-best-effort\"");
    }
}
