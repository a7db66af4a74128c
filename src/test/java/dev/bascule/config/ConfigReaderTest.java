package dev.bascule.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigReaderTest {
    private static final List<String> LINK_NAMES = Field.names(LinkConfig.class);

    private static HardwareConfig read(String text) {
        return HardwareConfigs.parse("my.yaml", "my", text);
    }

    private static List<String> problemsOf(String text) {
        ConfigException e = catchThrowableOfType(ConfigException.class, () -> read(text));
        assertThat(e).as("must be refused:\n%s", text).isNotNull();
        return e.problems().stream().map(ConfigProblem::toString).toList();
    }

    private static void assertOnlyProblem(String text, String expected) {
        assertThat(problemsOf(text)).containsExactly(expected);
    }

    @Test
    void aFileWithOnlyAKindGetsAllDefaults() {
        HardwareConfig config = read("kind: loopback\n");
        assertThat(config.name()).isEqualTo("my");
        assertThat(config.kind()).isEqualTo(DeviceKind.LOOPBACK);
        assertThat(config.description()).isEmpty();
        assertThat(config.queues()).isEqualTo(new HardwareConfig.Queues(1024, 1));
        assertThat(config.watchdog()).isEqualTo(new HardwareConfig.Watchdog(200_000, 20_000_000));
        assertThat(config.optimisations())
                .isEqualTo(new HardwareConfig.Optimisations(true, true, true, true, true));
        assertThat(config.link().isZero()).isTrue();
    }

    @Test
    void everyKeyReachesItsOwnField() {
        HardwareConfig config = read("""
                kind: loopback
                description: a test
                queues: {channelEntries: 64, stagedDecisions: 4}
                watchdog: {softWindow: 250 us, hardLimit: 1 s}
                optimisations: {writeCombining: false, prefetch: false}
                """);
        assertThat(config.description()).isEqualTo("a test");
        assertThat(config.queues()).isEqualTo(new HardwareConfig.Queues(64, 4));
        assertThat(config.watchdog()).isEqualTo(new HardwareConfig.Watchdog(250_000, 1_000_000_000));
        assertThat(config.optimisations())
                .isEqualTo(new HardwareConfig.Optimisations(false, true, true, false, true));
    }

    @Test
    void everyLinkConstantReachesItsOwnField() {
        StringBuilder text = new StringBuilder("kind: loopback\nlink:\n");
        for (int i = 0; i < LINK_NAMES.size(); i++) {
            text.append("  ").append(LINK_NAMES.get(i)).append(": ").append(i + 1).append(" ns\n");
        }
        LinkConfig link = read(text.toString()).link();
        assertThat(link.byName().keySet()).containsExactlyElementsOf(LINK_NAMES);
        assertThat(link.byName().values().stream().map(Constant::nanos)).startsWith(1L, 2L, 3L).endsWith(8L, 9L)
                .isSorted().doesNotHaveDuplicates();
        assertThat(link.mmioReadUc().nanos()).isEqualTo(1);
        assertThat(link.postedWrite().nanos()).isEqualTo(LINK_NAMES.indexOf("postedWrite") + 1);
        assertThat(link.msix().nanos()).isEqualTo(LINK_NAMES.indexOf("msix") + 1);
        assertThat(link.isZero()).isFalse();
    }

    @Test
    void theLongFormOfAConstantKeepsItsSource() {
        Constant constant = read("""
                kind: loopback
                link:
                  msix: {value: 1.6, unit: us, source: a paper, confidence: second-hand}
                """).link().msix();
        assertThat(constant).isEqualTo(new Constant(1600, "a paper", Confidence.SECOND_HAND));
    }

    @Test
    void theShortFormIsMarkedAsChosen() {
        Constant constant = read("kind: loopback\nlink: {dmaRead: 0.5 us}").link().dmaRead();
        assertThat(constant).isEqualTo(new Constant(500, "", Confidence.CHOSEN));
    }

    @Test
    void anUnknownKeyIsRefusedWithTheNearestKnownOne() {
        assertOnlyProblem("kind: loopback\nqueues:\n  chanelEntries: 64\n",
                "my.yaml:3:3: unknown key 'chanelEntries' in 'queues'; did you mean 'channelEntries'?");
        assertOnlyProblem("kind: loopback\nwatchdg: {}\n",
                "my.yaml:2:1: unknown key 'watchdg'; did you mean 'watchdog'?");
    }

    @Test
    void aKeyInTheWrongSectionIsSentToItsOwn() {
        assertOnlyProblem("kind: loopback\nqueues:\n  gidIndex: 3\n",
                "my.yaml:3:3: unknown key 'gidIndex' in 'queues'; did you mean 'rdma.gidIndex'?");
    }

    @Test
    void orderThatAnAdapterMayRelaxIsRefusedWithTheReason() {
        assertOnlyProblem("kind: rdma\nrdma: {relaxedOrdering: true}\n",
                "my.yaml:2:8: unknown key 'relaxedOrdering' in 'rdma'; it is gone: writes are always placed in their"
                        + " order, on which a reader relies; leave it out");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "cpus: {host: 2}            | my.yaml:2:1: unknown key 'cpus'; it is gone: say 'bascule run --cpus N'",
            "smartnic: {}               | my.yaml:2:1: unknown key 'smartnic'; it is gone: the memories are as large",
            "optimisations: {dma: true} | my.yaml:2:17: unknown key 'dma' in 'optimisations'; it is gone: messages" })
    void aKeyThatDidNothingIsGoneAndSaysWhatToUse(String line, String message) {
        assertThat(problemsOf("kind: loopback\n" + line + "\n")).singleElement().asString().startsWith(message);
    }

    @Test
    void aKeyLikeNothingKnownListsWhatIsKnownHere() {
        assertOnlyProblem("kind: loopback\nqueues:\n  supercalifragilistic: 1\n",
                "my.yaml:3:3: unknown key 'supercalifragilistic' in 'queues'; known keys here: channelEntries, stagedDecisions");
    }

    @Test
    void aDuplicateKeyIsRefusedAtItsSecondPlace() {
        assertOnlyProblem("kind: rdma\nrdma:\n  port: 2\n  port: 3\n",
                "my.yaml:4:3: duplicate key 'port'; keep one of the two");
        assertOnlyProblem("kind: loopback\nkind: loopback\n", "my.yaml:2:1: duplicate key 'kind'; keep one of the two");
        assertOnlyProblem("kind: loopback\nqueues: {stagedDecisions: 2}\nqueues: {channelEntries: 2}\n",
                "my.yaml:3:1: duplicate key 'queues'; keep one of the two");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "rdma: {port: two}                     | 2:14: 'port' takes a whole number, found 'two'",
            "rdma: {port: 2.5}                     | 2:14: 'port' takes a whole number, found '2.5'",
            "rdma: {port: [1]}                     | 2:14: 'port' takes a whole number, found a list",
            "rdma: {port: {a: 1}}                  | 2:14: 'port' takes a whole number, found a map",
            "rdma: {port: }                        | 2:13: 'port' takes a whole number, found ''",
            "rdma: {port: 255}                       | 2:14: 'port' is out of range: 255; from 0 to 254",
            "rdma: {port: -3}                      | 2:14: 'port' is out of range: -3; from 0 to 254",
            "rdma: {port: 99999999999999999999}    | 2:14: 'port' is out of range: 99999999999999999999",
            "queues: 4                             | 2:9: 'queues' must hold keys (channelEntries, stagedDecisions)",
            "description: 5                        | 2:14: 'description' takes text (put it in quotes), found '5'",
            "optimisations: {batch: yes}           | 2:24: 'batch' takes true or false, found 'yes'",
            "optimisations: {batch: 1}             | 2:24: 'batch' takes true or false, found '1'",
            "queues: {channelEntries: 1000} | 2:26: 'channelEntries' must be a power of two; nearest below: 512",
            "enso: {pipeRingFlits: 48} | 2:23: 'pipeRingFlits' is out of range: 48; from 64 to 524288",
            "watchdog: {softWindow: 5}             | 2:24: 'softWindow': '5' has no unit; write for example 750 ns",
            "watchdog: {softWindow: 5 min} | 2:24: 'softWindow': unknown unit 'min'; one of ns, us, ms, s",
            "watchdog: {softWindow: 30 ms} | "
                    + "2:24: watchdog.softWindow (30 ms) must be below watchdog.hardLimit (20 ms)",
            "watchdog: {hardLimit: 100 us} | "
                    + "2:23: watchdog.softWindow (200 us) must be below watchdog.hardLimit (100 us)",
            "link: {dmaRead: fast} | 2:17: 'dmaRead': expected a number with a unit (750 ns), found 'fast'",
            "link: {dmaRead: 0.0001 ns} | 2:17: 'dmaRead': 0.0001 ns is not a whole number of ns in 63 bits",
            "link: {dmaRead: 2 s} | 2:17: 'dmaRead' is out of range: 2 s; from 0 ns to 1 s",
            "link: {dmaRead: -1 ns} | 2:17: 'dmaRead' is out of range: -1 ns; from 0 ns to 1 s",
            "? [a] : 1 | 2:3: a key must be a plain word" })
    void aBadValueIsRefusedAtItsPlace(String line, String expected) {
        assertThat(problemsOf("kind: loopback\n" + line)).singleElement().asString()
                .startsWith("my.yaml:" + expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "{value: 7, unit: ns, source: x}                        | 3:12: 'dmaRead' lacks 'confidence'",
            "{value: 7, unit: hours, source: x, confidence: chosen} | 3:29: 'dmaRead': unknown unit 'hours'",
            "{value: x, unit: ns, source: x, confidence: chosen}    | 3:20: 'dmaRead': expected a number, found 'x'",
            "{value: 7, unit: ns, source: x, confidence: high}      | 3:56: unknown confidence 'high'; one of primary",
            "{value: 7, unit: ns, source: '', confidence: primary}  | 3:41: 'source' is empty",
            "{valeu: 7, unit: ns, source: x, confidence: primary}   | 3:13: unknown key 'valeu' in 'dmaRead'; did you"
                    + " mean 'value'?",
            "{value: 7, value: 7, unit: ns, source: x, confidence: primary} | 3:23: duplicate key 'value'",
            "{value: [7], unit: ns, source: x, confidence: primary} | 3:20: 'value' must be a single value",
            "[7]                                                    | 3:12: 'dmaRead' takes a time with its unit" })
    void aBadLongFormIsRefusedAtItsPlace(String value, String expected) {
        assertThat(problemsOf("kind: loopback\nlink:\n  dmaRead: " + value)).singleElement().asString()
                .startsWith("my.yaml:" + expected);
    }

    @Test
    void aMissingKindIsRefused() {
        assertOnlyProblem("queues: {stagedDecisions: 2}\n",
                "my.yaml:1:1: 'kind' is required; add for example 'kind: loopback'");
        assertOnlyProblem("", "my.yaml:1:1: the file is empty; 'kind' is required");
        assertOnlyProblem("# nothing\n", "my.yaml:1:1: the file is empty; 'kind' is required");
        assertOnlyProblem("kind: tape\n", "my.yaml:1:7: unknown kind 'tape'; one of loopback, rdma, pci");
    }

    @Test
    void allProblemsAreReportedAtOnceInOrder() {
        assertThat(problemsOf("kid: loopback\nrdma: {port: x}\nqueues: {a: 1}\n")).hasSize(4)
                .extracting(p -> p.substring(0, "my.yaml:1:".length()))
                .containsExactly("my.yaml:1:", "my.yaml:1:", "my.yaml:2:", "my.yaml:3:");
    }

    @ParameterizedTest
    @ValueSource(strings = { "kind: [loopback\n", "kind: loopback\n\tcpus: 1\n", "kind: 'loopback\n", "a: b: c\n",
            "kind: loopback\n---\nkind: loopback\n", "kind: *nobody\n", "%%%", "{", "&a [*a]", "kind: \"\\q\"",
            "- kind\n- loopback\n", "just words", "kind: loopback\u0007", "<<: {kind: loopback}" })
    void whatIsNoConfigurationIsRefusedWithAPlace(String text) {
        assertThat(problemsOf(text)).allSatisfy(p -> assertThat(p).matches("my\\.yaml:[1-9]\\d*:[1-9]\\d*: (?s).+"));
    }

    @Test
    void aControlCharacterIsRefusedAtItsPlace() {
        assertThat(problemsOf("kind: loopback\ncpus: \u0007\n")).singleElement().asString()
                .startsWith("my.yaml:2:7: not text: character U+0007");
    }

    @Test
    void anyPrefixOfAGoodFileIsReadOrRefusedButNeverBreaksTheReader() {
        String text = "kind: loopback\nlink:\n  dmaRead: {value: 7, unit: ns, source: 'x', confidence: chosen}\n"
                + "watchdog: {softWindow: 3 ms, hardLimit: 4 ms}\n";
        for (int i = 0; i <= text.length(); i++) {
            String prefix = text.substring(0, i);
            try {
                assertThat(read(prefix).kind()).isEqualTo(DeviceKind.LOOPBACK);
            } catch (ConfigException e) {
                assertThat(e.problems()).as("prefix '%s'", prefix).isNotEmpty();
            }
        }
    }

    @Test
    void aPciDeviceSaysWhatItIsAndWhereItsDriverWasSeen() {
        HardwareConfig card = read("kind: pci\ndevice:\n  ids: \"1234:1001 5543:1001\"\n  driver: corundum\n"
                + "  seen: simulated\n");
        assertThat(card.device().ids()).containsExactly("1234:1001", "5543:1001");
        assertThat(card.device().seenText()).isEqualTo("simulated; not yet seen on hardware");
        assertThat(read("kind: loopback\n").device().ids()).isEmpty();
    }

    @Test
    void aPciDeviceWithoutAnIdOrWithAWrongMarkIsRefused() {
        assertOnlyProblem("kind: pci\ndevice:\n  ids: \"12:34\"\n  driver: none\n  seen: lab\n",
                "my.yaml:3:8: device.ids must be vendor and device, lower-case hexadecimal: \"1234:1001 5543:1001\"");
        assertOnlyProblem("kind: pci\ndevice:\n  ids: \"1234:1001\"\n  driver: none\n  seen: yesterday\n",
                "my.yaml:5:9: device.seen must be one of simulated, lab, hardware, nowhere");
        assertOnlyProblem("kind: pci\ndevice:\n  ids: \"1234:1001\"\n  seen: lab\n",
                "my.yaml:1:7: device.driver must name a driver, or be none");
    }
}
