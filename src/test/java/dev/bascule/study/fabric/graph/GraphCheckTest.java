package dev.bascule.study.fabric.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.config.ConfigException;
import dev.bascule.config.FabricConfig;
import dev.bascule.config.FabricConfigBuilder;
import dev.bascule.config.FabricConfigs;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.fabric.StreamLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with a graph is said with its line, and with what to write instead. */
class GraphCheckTest {
    private static final String GOOD = """
            kind: fabric
            name: g
            devices:
              nic0: { kind: nic }
              crypto0: { kind: crypto, keys: [000102030405060708090a0b0c0d0e0f] }
              ml0: { kind: inference, inputs: 16 }
              disk0: { kind: store, file: x }
            nodes:
              in: { device: nic0, do: receive }
              open: { device: crypto0, do: open, offset: 42 }
              classify: { device: ml0, do: classify, offset: 42 }
              out: { device: nic0, do: send }
            edges:
              - in -> open
              - open -> classify
              - classify -> out
            """;

    private static FabricSetup setup(String graph, FabricCosts costs) {
        return new FabricSetup(FabricConfigs.parse("g.yaml", graph), costs, StreamLimits.DEFAULT, Path.of("."), false,
                (card, frame) -> {});
    }

    @Test
    void aGoodGraphBecomesTablesThatCanBeRead() throws Exception {
        try (FabricSetup setup = setup(GOOD, FabricCosts.PROPOSAL)) {
            assertThat(setup.program().dump()).contains("node 1 open         device crypto0, command 1",
                    "node == 1: next = 2");
        }
    }

    @Test
    void aGraphBuiltInJavaBecomesTheSameTables() throws Exception {
        FabricConfig built = new FabricConfigBuilder("g").device("nic0", "nic", Map.of())
                .device("crypto0", "crypto", Map.of("keys", "000102030405060708090a0b0c0d0e0f"))
                .device("ml0", "inference", Map.of("inputs", "16")).device("disk0", "store", Map.of("file", "x"))
                .node("in", "nic0", "receive", Map.of()).node("open", "crypto0", "open", Map.of("offset", "42"))
                .node("classify", "ml0", "classify", Map.of("offset", "42")).node("out", "nic0", "send", Map.of())
                .edge("in", "open").edge("open", "classify").edge("classify", "out").build();
        try (FabricSetup inJava = new FabricSetup(built, FabricCosts.PROPOSAL, StreamLimits.DEFAULT, Path.of("."),
                false,
                (card, frame) -> {}); FabricSetup inYaml = setup(GOOD, FabricCosts.PROPOSAL)) {
            assertThat(inJava.program().dump()).isEqualTo(inYaml.program().dump());
        }
        assertThatThrownBy(() -> new FabricConfigBuilder("g").device("a", "nic", Map.of()).device("a", "nic", Map.of()))
                .hasMessage("fabric 'g': two devices of the name 'a'; rename one");
    }

    @Test
    void theGraphsThatShipAndThePagesGraphCanRun() throws Exception {
        Path base = Path.of(System.getProperty("bascule.baseDirectory", "."));
        List<String> graphs = new ArrayList<>();
        try (Stream<Path> files = Files.list(base.resolve("hw-configs/fabric"))) {
            for (Path file : files.toList()) {
                graphs.add(Files.readString(file));
            }
        }
        Matcher block = Pattern.compile("(?s)```yaml\n(.*?)```")
                .matcher(Files.readString(base.resolve("src/site/markdown/fabric.md")));
        while (block.find()) {
            graphs.add(block.group(1));
        }
        assertThat(graphs).hasSizeGreaterThan(1);
        for (String graph : graphs) {
            try (FabricSetup setup = setup(graph, FabricCosts.PROPOSAL)) {
                assertThat(setup.program().nodes()).isNotEmpty();
            }
        }
    }

    @ParameterizedTest(name = "{0} -> {1}")
    @CsvSource(delimiter = '|', value = {
            "do: open, | do: lock, | g.yaml:10:3: node 'open': a crypto cannot 'lock'; it can open, seal",
            "device: ml0 | device: ml7 | g.yaml:11:3: node 'classify': no device 'ml7'; there are nic0, crypto0, ml0, disk0",
            "- open -> classify | - open -> clasify | g.yaml:15:5: no node 'clasify'; there are in, open, classify, out",
            "kind: store | kind: tape | g.yaml:7:3: device 'disk0': no kind 'tape'; there are nic, host, crypto, inference, store",
            "keys: [000102030405060708090a0b0c0d0e0f] | keys: [00] | g.yaml:5:3: device 'crypto0': a key has 32 or 64 hexadecimal digits, this one 2 characters",
            "inputs: 16 | inputs: many | g.yaml:6:3: device 'ml0': 'inputs' takes a whole number from 1 to 65536, found 'many'",
            "inputs: 16 | input: 9999999999 | g.yaml:6:3: device 'ml0': 'input' takes a whole number from 64 to 268435456",
            "- in -> open | - in -> classify | g.yaml:10:3: no item ever comes to node 'open'",
            "- classify -> out | - classify -> open | g.yaml:10:3: items would go round for ever: open, classify",
            "- classify -> out | - { from: classify, to: out, when: byte 3 } | g.yaml:16:5: classify -> out: cannot read 'byte 3'; write 'u8|u16|u32 at OFFSET",
            "- classify -> out | - { from: classify, to: out, rewrite: tcp } | g.yaml:16:5: classify -> out: no rewrite 'tcp'; there are udp-length, udp-reply",
            "do: open, | do: seal, | g.yaml:15:5: open -> classify: 'classify' cannot take sealed bytes; put a node that opens them in between",
            "do: send | do: receive | a graph has one source (receive or push); this one has in, out",
            "offset: 42 } | ofset: 42 } | g.yaml:10:3: node 'open': unknown key 'ofset'; known: offset, key" })
    void whatIsWrongIsSaidWithItsPlace(String good, String bad, String message) {
        assertThatThrownBy(() -> setup(GOOD.replaceFirst(Pattern.quote(good),
                Matcher.quoteReplacement(bad)), FabricCosts.PROPOSAL))
                .isInstanceOf(GraphException.class).hasMessageContaining(message);
    }

    @Test
    void whatIsDeniedIsNotInAGraph() {
        assertThatThrownBy(() -> setup(GOOD + "deny:\n  - crypto0 -> ml0\n", FabricCosts.PROPOSAL))
                .hasMessageContaining(
                        "g.yaml:15:5: open -> classify: crypto0 may not reach ml0, says 'deny' in line 18");
    }

    @Test
    void anEdgeBehindOneThatIsAlwaysTakenIsRefused() {
        assertThatThrownBy(
                () -> setup(GOOD + "  - { from: in, to: out, when: \"u8 at 0 == 1\" }\n", FabricCosts.PROPOSAL))
                .hasMessageContaining(
                        "g.yaml:17:5: in -> out: never taken, as an edge without a condition stands before it");
    }

    @Test
    void aSwitchWithTooFewStagesIsNamed() {
        FabricCosts three = new FabricCosts(379_000, 3, 10, 3, 0, 24, 256);
        assertThatThrownBy(() -> setup(GOOD.replace("- classify -> out",
                "- { from: classify, to: out, rewrite: udp-reply }"), three))
                .hasMessageContaining("the graph needs 7 stages and the switch has 3");
    }

    @Test
    void whatIsNoGraphAtAllIsRefusedByTheReader() {
        for (String text : new String[] { "", "[]", "kind: nic", "kind: fabric\ndevices: 3",
                "kind: fabric\nnodes: {a: 1}",
                GOOD.replace("- in -> open", "- in => open"), GOOD + "extra: 1\n", "\u0000", "a: [", "&a [*a]" }) {
            assertThatThrownBy(() -> setup(text, FabricCosts.PROPOSAL)).as(text).isInstanceOf(ConfigException.class)
                    .hasMessageContaining("g.yaml:");
        }
    }

    /** Lines cut out, doubled and swapped: a message or a graph that runs, and nothing else. */
    @Test
    void mangledGraphsAreRefusedInWords() throws Exception {
        for (long seed = 0; seed < 600; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            StringBuilder text = new StringBuilder(GOOD);
            for (int edits = 1 + random.nextInt(4); edits > 0; edits--) {
                int at = random.nextInt(text.length());
                int end = Math.min(text.length(), at + random.nextInt(30));
                switch (random.nextInt(3)) {
                    case 0 -> text.delete(at, end);
                    case 1 -> text.insert(at, text.substring(at, end));
                    default -> text.setCharAt(at, (char) (32 + random.nextInt(95)));
                }
                if (text.isEmpty()) {
                    text.append('x');
                }
            }
            try (FabricSetup setup = setup(text.toString(), FabricCosts.PROPOSAL)) {
                assertThat(setup.program().nodes()).as("seed " + seed).isNotEmpty();
            } catch (ConfigException | GraphException e) {
                assertThat(e.getMessage()).as("seed " + seed).contains("g.yaml:");
            }
        }
    }
}
