package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.run.Errors;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A wrong value of any option of any command is wrong use: status 2, said shortly, before anything is opened. */
@Tag("heavy")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OptionValuesTest {
    private static final List<Class<?>> NUMBERS = List.of(int.class, long.class, double.class, Integer.class,
            Long.class,
            Double.class);
    private static final String DIGITS = "9".repeat(900_000);

    @TempDir
    private Path folder = Path.of("");

    private record Value(CommandLine command, OptionSpec option) {
        boolean isTime() {
            return option.paramLabel().equals("TIME");
        }

        boolean isWord() {
            return field().isAnnotationPresent(OneOf.class);
        }

        boolean isNumber() {
            return Arrays.stream(option.auxiliaryTypes()).anyMatch(NUMBERS::contains);
        }

        Field field() {
            return (Field) option.userObject();
        }

        /** Values that cannot be. */
        List<String> wrong() {
            List<String> all = new ArrayList<>(List.of(DIGITS, "1,5"));
            if (!isTime() || isWord()) {
                all.addAll(List.of("", "nosuch", "NaN", "-Infinity", "0x", "1s"));
            } else {
                all.addAll(List.of("", "nosuch", "-1s", "1", "1 s", "1e3s", "1week"));
            }
            Range range = field().getAnnotation(Range.class);
            if (range != null) {
                all.addAll(beyond(range.value()));
            }
            if (Map.class.isAssignableFrom(option.type())) {
                return all.stream().map("CLASS="::concat).toList();
            }
            if (Collection.class.isAssignableFrom(option.type()) && !option.splitRegex().isEmpty()) {
                all.remove("1,5");
            }
            return all;
        }

        private static List<String> beyond(String range) {
            boolean above = range.startsWith(">");
            String[] ends = range.substring(above ? 1 : 0).split("\\.\\.", -1);
            List<String> all = new ArrayList<>();
            if (ends[0].matches("-?[0-9]+")) {
                all.add(above ? ends[0] : Integer.toString(Integer.parseInt(ends[0]) - 1));
                all.add("-1000");
            } else if (!ends[0].startsWith("0")) {
                all.add("0.1" + ends[0].replaceAll("[0-9]", ""));
            }
            if (ends[1].matches("[0-9]+")) {
                all.add(Long.toString(Long.parseLong(ends[1]) + 1));
            } else if (!ends[1].isEmpty()) {
                all.add("1" + ends[1]);
            }
            return all;
        }

        @Override
        public final String toString() {
            return command.getCommandSpec().qualifiedName() + " " + option.longestName();
        }
    }

    private static Stream<Value> values() {
        return commands(Main.commandLine()).flatMap(command -> command.getCommandSpec().options().stream()
                .filter(option -> option.arity().max() > 0).map(option -> new Value(command, option)));
    }

    private static Stream<CommandLine> commands(CommandLine line) {
        return Stream.concat(Stream.of(line),
                line.getSubcommands().values().stream().flatMap(OptionValuesTest::commands));
    }

    @Test
    void everyNumberAndTimeHasARange() {
        assertThat(values().filter(value -> value.isNumber() || value.isTime())
                .filter(value -> !value.option.longestName().equals("--seed"))
                .filter(value -> !value.field().isAnnotationPresent(Range.class) && !value.isWord())).isEmpty();
    }

    /** Ranges in helps are those that are checked. */
    @Test
    void helpAndCheckHaveOneRange() {
        Pattern said = Pattern.compile("(?:^|[,(: ])(-?[0-9]+)(?: \\([a-z]+\\))? to (-?[0-9]+)");
        List<String> differ = new ArrayList<>();
        values().filter(value -> value.field().isAnnotationPresent(Range.class)).forEach(value -> {
            String range = value.field().getAnnotation(Range.class).value();
            said.matcher(String.join(" ", value.option.description())).results()
                    .filter(found -> !range.equals(found.group(1) + ".." + found.group(2)))
                    .forEach(found -> differ.add(value + " says " + found.group() + ", and checks " + range));
        });
        assertThat(differ).isEmpty();
    }

    /** Words that are taken stand in the help, each of them; a test that copies a list ages with the next word. */
    @Test
    void helpAndCheckHaveTheSameWords() {
        List<String> missing = new ArrayList<>();
        values().filter(Value::isWord).forEach(value -> {
            String help = String.join(" ", value.option.description());
            Arrays.stream(value.field().getAnnotation(OneOf.class).value())
                    .filter(word -> !Pattern.compile("(?<![a-z0-9-])" + Pattern.quote(word) + "(?![a-z0-9])")
                            .matcher(help).find())
                    .forEach(word -> missing.add(value + " does not tell of " + word));
        });
        assertThat(missing).isEmpty();
    }

    @Test
    void aWrongValueIsWrongUseInEveryCommand() throws Exception {
        List<String> bad = new ArrayList<>();
        int[] tried = new int[1];
        values().filter(value -> value.isNumber() || value.isTime() || value.isWord()).forEach(value -> {
            for (String wrong : value.wrong()) {
                tried[0]++;
                Cli said = call(value, wrong);
                String option = value.option.longestName();
                if (said.status() != Errors.USAGE || !said.err().contains(option) || said.err().contains("\tat ")
                        || said.err().contains("bug in Bascule") || said.err().length() > 2_000) {
                    bad.add(value + "=" + Errors.cut(wrong) + ": " + said.status() + " " + Errors.cut(said.err()));
                }
            }
        });
        assertThat(bad).isEmpty();
        assertThat(tried[0]).isGreaterThan(1_500);
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    /** The command with what it requires, files to write, and the wrong value. */
    private Cli call(Value value, String wrong) {
        List<String> words = new ArrayList<>(List.of(value.command.getCommandSpec().qualifiedName().split(" ")));
        words.removeFirst();
        words.add(value.option.longestName() + "=" + wrong);
        for (ArgSpec other : value.command.getCommandSpec().args()) {
            String some = Map.class.isAssignableFrom(other.type())
                    ? "cpus=1"
                    : folder.resolve("file").toString();
            if (other instanceof OptionSpec option) {
                boolean alone = option.group() != null && option.group() == value.option.group();
                boolean isWritten = option.paramLabel().equals("FILE") && option.type() == Path.class;
                if (option != value.option && !alone && (option.required() || isWritten)
                        && (option.group() == null || option.group().args().iterator().next() == option)) {
                    words.add(option.longestName() + "=" + some);
                }
            } else if (other.arity().min() > 0) {
                words.add(some);
            }
        }
        return Cli.callOne(words.toArray(String[]::new));
    }

    static Stream<Arguments> words() {
        return Stream.of("app nosuch", "pktgen --cores x", "fwd --cores 3-1", "echo --cores " + "1-",
                "dpdk --allow nosuch", "pktgen --mix nosuch", "pktgen --pcap FILE --mix imix", "rpc load nosuch",
                "rpc load 127.0.0.1:" + "9".repeat(300), "lauberhorn load nosuch", "rpc serve --udp 0 --link nosuch",
                "rpc serve --wire nosuch", "rpc serve --wire cross:FILE --address nosuch",
                "rpc serve --wire cross:FILE --address6 nosuch", "rpc serve --udp 0 --steer nosuch",
                "rpc serve --udp 0 --policy nosuch", "rpc serve --udp 0 --policy-option nosuch=1",
                "rpc bench --link nosuch", "rpc serve",
                "lauberhorn serve --udp 0 --pin nosuch", "lauberhorn serve --udp 0 --policy nosuch",
                "lauberhorn serve --wire nosuch", "lauberhorn bench --least-cores 3 --cores 2",
                "run --affinity GET=nosuch", "run --affinity nosuch=0", "run --enclave nosuch",
                "run --capacity 1 --enclave a:9999", "run --fault nosuch", "run --workload spin --mix nosuch",
                "run --move nosuch", "run --placement nosuch", "run --policy nosuch", "run --policy fiffo",
                "run --policy-option nosuch=1", "run --policy shinjuku --policy-option quantum=nosuch",
                "run --swap-mode nosuch", "run --transport nosuch", "run --web nosuch", "run --web 70000",
                "run --nice nosuch=1", "run --cpus 2 --agents 3", "run --upgrade-every 1s",
                "kernel --policy nosuch -- true", "kernel --cpus nosuch -- true", "kernel --cpus 3-1 -- true",
                "kernel --class nosuch -- true", "kernel --transport nosuch -- true",
                "kernel --soft 2s --hard 1s -- true",
                "kernel", "tier", "tier --to nosuch -- true", "tier --to node:x -- true",
                "compare --experiment nosuch", "compare --transport nosuch", "compare --placement nosuch",
                "compare --policy nosuch", "sim nosuch=1", "sim cpus=nosuch", "sim cpus=-1",
                "sim cpus=" + "9".repeat(2000),
                "sim load=NaN", "sim transport=nosuch", "sim mix=nosuch", "sim policy=nosuch", "sim --hosts nosuch",
                "sim --balance nosuch", "sim --enclaves nosuch", "sim --cores nosuch", "sim --against nosuch=1",
                "sim --against cpus=nosuch", "sim --repeat 0", "sweep nosuch=1 --out FILE",
                "sweep cpus=1,nosuch --out FILE",
                "sweep cpus=1 --index 7 --out FILE", "serve --device nosuch --socket FILE",
                "serve --device corundum --socket FILE --wire nosuch",
                "serve --device corundum --socket FILE --mac nosuch",
                "serve --device corundum --socket FILE --flash nosuch",
                "serve --device corundum --socket FILE --queues 3",
                "serve --device virtio --socket FILE --cores FILE", "serve --device virtio --programs FILE",
                "fabric check GRAPH --link nosuch", "fabric check GRAPH --link NaN", "fabric check GRAPH --link -5",
                "judge --only nosuch", "judge --skip nosuch", "judge --device dpdk:x", "pktgen --enso --pipes 3",
                "regs 0000:03:00.0 nosuch 0", "regs 0000:03:00.0 0 nosuch", "regs nosuch:x 0 0 --write x",
                "bind nosuch", "unbind nosuch", "vfs nosuch", "probe 0000:03:00.0 --vf-token nosuch",
                "cpu 1 nosuch", "cpu nosuch", "new nosuch FILE", "new agent FILE --name A_b",
                "new agent FILE --package 1a",
                "agent --attach FILE --cpu nosuch", "agent --attach FILE --transport nosuch",
                "agent --attach FILE --policy nosuch", "upgrade --region FILE --policy nosuch", "top --web nosuch",
                "capture --port -1 -w FILE", "capture --count -5 -w FILE", "capture --port 2 -w FILE",
                "pktgen --port 9",
                "echo --port 2", "pack --target nosuch", "nosuch", "run --nosuch").map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("words")
    void aWrongWordIsWrongUse(String words) throws Exception {
        Cli said = Cli.callOne(Arrays.stream(words.split(" "))
                .map(word -> word.equals("FILE")
                        ? folder.resolve("file").toString()
                        : word.equals("GRAPH") ? "hw-configs/fabric/private-inference.yaml" : word)
                .toArray(String[]::new));
        assertThat(said.status()).as(said.err()).isEqualTo(Errors.USAGE);
        assertThat(said.err()).startsWith("bascule: ").doesNotContain("\tat ", "bug in Bascule").hasSizeLessThan(2_500);
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    /** A file that would be written only after the work costs none of it; the fault is one for root as well. */
    @ParameterizedTest
    @CsvSource({ "run --quick --report FILE", "run --quick --report none --trace FILE", "compare --report FILE",
            "sim --repeat 2 --report FILE", "sim --repeat 2 --files FILE/dir", "sim --repeat 2 --trace FILE",
            "sim --repeat 1 --record FILE", "sweep cpus=1 --out OUT --report FILE", "tier --report FILE -- true",
            "reproduce enso --quick --report FILE", "reproduce enso --quick --plots FILE/dir",
            "reproduce nagare --quick --report FILE", "reproduce nagare --quick --plots FILE/dir",
            "reproduce lauberhorn --quick --plots FILE/dir", "pktgen --enso --histogram FILE",
            "demo store --save FILE", "pack --output FILE" })
    void aFileThatCannotBeWrittenCostsNoWork(String words) throws Exception {
        Path blocked = Files.createFile(folder.resolve("blocked"));
        for (Path file : List.of(folder.resolve("none/page"), blocked.resolve("page"))) {
            boolean isFolder = words.contains("/dir");
            if (isFolder && file.startsWith(folder.resolve("none"))) {
                continue; // it is made
            }
            Cli said = Cli.callOne(words.replace("OUT", folder.resolve("out").toString())
                    .replace("FILE", file.toString()).split(" "));
            assertThat(said.status()).as(said.err()).isEqualTo(Errors.FAILED);
            assertThat(said.err()).startsWith("bascule: --").contains(file.toString()).hasLineCount(1);
            assertThat(said.out()).isEmpty();
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactly(blocked);
        }
    }

    /** Things that are well named, and not there. */
    @ParameterizedTest
    @CsvSource({ "pktgen --device /nosuch", "pktgen --device 0000:ff:1f.7", "pktgen --pcap /nosuch",
            "run --config nosuch",
            "run --policy my.Nosuch", "run --policy my.Nosuch --policy-path /nosuch.jar", "sim --costs nosuch",
            "cpu --region /nosuch 1 offline", "top --attach /nosuch --once", "tier --pid 4194304",
            "rpc serve --udp 0 --service my.Nosuch", "replay /nosuch", "capture -w /nosuch/file --count 1",
            "fabric check /nosuch", "probe 0000:ff:1f.7", "upgrade --region /nosuch" })
    void whatIsNotThereIsFailedWork(String words) {
        Cli said = Cli.callOne(words.split(" "));
        assertThat(said.status()).as(said.err()).isEqualTo(Errors.FAILED);
        assertThat(said.err()).doesNotContain("\tat ", "bug in Bascule");
    }
}
