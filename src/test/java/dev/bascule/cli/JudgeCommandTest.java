package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.app.judge.Judge;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.ForwardingModel;
import dev.bascule.json.JsonReader;
import dev.bascule.junit.ByTurns;
import dev.bascule.model.Cables;
import dev.bascule.model.CountedWire;
import dev.bascule.model.WireEnd;
import dev.bascule.model.cndm.CndmCard;
import dev.bascule.model.cndm.CndmConfig;
import dev.bascule.model.cndm.proto.ProtoCard;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.run.Errors;
import dev.bascule.vfiouser.VfioUserServer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The acceptance test of cards: models pass it, and cards with faults do not. */
@Tag("heavy")
@Timeout(120)
class JudgeCommandTest {
    /** Parts that need a JVM of their own are in {@link JudgeProcessTest}. */
    private static final String PROCESSES = "killed-driver";

    @TempDir
    private Path folder;

    private static Cli judge(String words) {
        return Cli.callOne(Stream.concat(Stream.of("judge"), Arrays.stream(words.split(" "))).toArray(String[]::new));
    }

    private Cli judge(DeviceModel model, String words) {
        try (VfioUserServer server = VfioUserServer.serve(model, folder.resolve("card"), event -> {})) {
            return judge("--device " + server.path() + " " + words);
        }
    }

    private static CorundumModel card(WireEnd... wires) {
        return new CorundumModel(CorundumConfig.builder().ports(wires.length).schedulers(wires.length).build(),
                List.of(wires), true);
    }

    @Test
    void partsAreListed() {
        Cli list = judge("--list");
        assertThat(list.status()).isZero();
        assertThat(list.out().lines()).hasSameSizeAs(Judge.parts().keySet());
        assertThat(list.out()).startsWith("frames ").contains("over-long", "long-run");
    }

    @ParameterizedTest
    @CsvSource({ "--only frame, long-run", "--skip x, 'no part is called ''x'''", "--queues 0, --queues",
            "--frames 0, --frames", "--device dpdk:net_ring0, DPDK", "--restart-command x --device enso, SOCKET",
            "--seed x, seed",
            "--slow 0, --slow", "--device corundum --slow 9, loopback-rtl",
            "--device /tmp/x --slow 9 --config loopback-rtl, for a model" })
    void wrongUsageIsStatusTwo(String words, String said) {
        Cli run = judge(words);
        assertThat(run.status()).isEqualTo(Errors.USAGE);
        assertThat(run.err()).contains(said);
        assertThat(run.out()).isEmpty();
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @CsvSource({ "cndm, 1", "cndm-lite, 1", "cndm-proto, 1", "cndm --config loopback-rtl, 1", "corundum, 1",
            "corundum, 16",
            "corundum-december-2023, 4", "enso, 1", "enso, 16",
            "corundum --config loopback-rtl, 4", "corundum-december-2023 --config loopback-rtl, 1",
            "corundum-december-2023 --config loopback-rtl, 16", "enso --config loopback-rtl, 4" })
    void modelsPass(String device, int queues) {
        Cli run = judge("--device " + device + " --queues " + queues + " --frames 200 --rounds 2 --skip " + PROCESSES);
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains(" 0 failed", "seed ").containsPattern("frames +passed").containsPattern(
                "restart +passed").containsPattern(queues == 1 ? "flows +not applicable" : "flows +passed");
    }

    /** So that it stores, loads and polls while the card's answers are under way: what a wait for the wrong thing shows. */
    @ByTurns(of = 2)
    @ParameterizedTest
    @CsvSource({ "enso, 1, long-run", "enso, 16, 'frames,restart,reopen'", "corundum, 4, 'frames,restart,over-long'",
            "corundum-december-2023, 16, 'frames,restart,over-long'" })
    void driversPassThatAreQuickerThanTheCard(String model, int queues, String parts) {
        Cli run = judge("--device " + model + " --config loopback-rtl --slow 100 --queues " + queues
                + " --frames 40000 --rounds 2 --only " + parts);
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains(parts.split(",").length + " passed, 0 failed");
    }

    @Test
    void virtioPassesWhatItsDriverAccountsFor() {
        Cli run = judge("--device virtio --frames 1000 --rounds 2 --skip " + PROCESSES);
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).containsPattern("long-run +passed").containsPattern("dry-ring +passed")
                .containsPattern("clock +not applicable");
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "--far-port 1", "--port 1" })
    void theFarEndIsTheSecondPort(String words) {
        Cli run = judge(card(Cables.cross().toArray(WireEnd[]::new)),
                (words + " --frames 500 --rounds 2 --queues 2 --only frames,jumbo,restart,timestamps").strip());
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains("4 passed, 0 failed, 0 not applicable");
    }

    @ParameterizedTest
    @CsvSource({ "micro, 1", "micro, 2", "lite, 1", "lite, 2", "proto, 1", "proto, 2" })
    void cndmPassesWithOnePortAndWithTwo(String profile, int ports) {
        List<CountedWire> wires = (ports == 1 ? List.of(Cables.loopback()) : Cables.cross()).stream()
                .map(CountedWire::new).toList();
        CndmConfig config = CndmConfig.MICRO.withPorts(ports);
        Cli run = judge(switch (profile) {
            case "proto" -> new ProtoCard(wires);
            case "lite" -> new CndmCard(config.lite(), wires);
            default -> new CndmCard(config, wires);
        }, "--frames 300 --rounds 4 --skip " + PROCESSES);
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains(" 0 failed").containsPattern("frames +passed").containsPattern("restart +passed")
                .containsPattern(profile.equals("proto") ? "clock +not applicable" : "clock +passed");
    }

    @Test
    void theFarEndIsAPeer() {
        List<WireEnd> cable = Cables.cross();
        try (VfioUserServer peer = VfioUserServer.serve(card(cable.get(1)), folder.resolve("peer"), event -> {})) {
            Cli run = judge(card(cable.get(0)),
                    "--peer " + peer.path()
                            + " --frames 500 --rounds 4 --only frames,rx-checksum,restart,reopen,long-run");
            assertThat(run.status()).as(run.out() + run.err()).isZero();
            assertThat(run.out()).contains("5 passed, 0 failed, 0 not applicable");
        }
    }

    /** A card on whose machine writes to it take long: they have arrived when a read is answered, and need not before. */
    private static final class LatePosts extends ForwardingModel {
        private record Write(int bar, long offset, int widthBytes, long value) {}

        private final DeviceModel card;
        private final Deque<Write> posted = new ArrayDeque<>();

        LatePosts(DeviceModel card) {
            super(card);
            this.card = card;
        }

        @Override
        public synchronized void write(int bar, long offset, int widthBytes, long value) {
            posted.add(new Write(bar, offset, widthBytes, value));
        }

        @Override
        public synchronized long read(int bar, long offset, int widthBytes) {
            posted.forEach(one -> card.write(one.bar, one.offset, one.widthBytes, one.value));
            posted.clear();
            return super.read(bar, offset, widthBytes);
        }
    }

    @Test
    void roomForFramesMayTakeLongToReachTheCard() {
        List<WireEnd> cable = Cables.cross();
        DeviceModel late = new LatePosts(card(cable.get(1)));
        try (VfioUserServer peer = VfioUserServer.serve(late, folder.resolve("peer"), event -> {})) {
            Cli run = judge(card(cable.get(0)), "--peer " + peer.path() + " --only frames,rx-checksum");
            assertThat(run.status()).as(run.out() + run.err()).isZero();
            assertThat(run.out()).contains("2 passed, 0 failed, 0 not applicable");
        }
    }

    @Test
    void aPortWithoutALoopIsSaidSo() {
        Cli run = judge(card(WireEnd.OPEN), "--link-wait 100ms");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).contains("far-end", "FAILED", "--peer", "link");
    }

    /** A loop with a fault in frame 200; the number is in the last bytes of its source station. */
    private static final class FaultyLoop implements WireEnd {
        private static final byte WHICH = (byte) 200;

        private final WireEnd loop = Cables.loopback();
        private final String fault;

        FaultyLoop(String fault) {
            this.fault = fault;
        }

        @Override
        public boolean transmit(byte[] data, int offset, int lengthBytes) {
            if (data[offset + 11] != WHICH || data[offset + 10] != 0) {
                return loop.transmit(data, offset, lengthBytes);
            }
            byte[] frame = Arrays.copyOfRange(data, offset, offset + lengthBytes);
            return switch (fault) {
                case "flip" -> {
                    frame[lengthBytes - 20] ^= 4;
                    yield loop.transmit(frame, 0, lengthBytes);
                }
                case "cut" -> loop.transmit(frame, 0, lengthBytes - 1);
                case "twice" -> {
                    loop.transmit(frame, 0, lengthBytes);
                    yield loop.transmit(frame, 0, lengthBytes);
                }
                case "lost" -> true;
                case "number" -> {
                    frame[8] ^= 0x40;
                    yield loop.transmit(frame, 0, lengthBytes);
                }
                default -> throw new AssertionError(fault);
            };
        }

        @Override
        public int poll(FrameSink sink, int budget) {
            return loop.poll(sink, budget);
        }
    }

    @ParameterizedTest
    @CsvSource({ "flip, differs at byte", "cut, and cut at byte", "twice, arrived twice",
            "lost, 1 of 500 frames did not",
            "number, were sent" })
    void oneWrongFrameIsFoundAndShown(String fault, String said) {
        Cli run = judge(card(new FaultyLoop(fault)), "--frames 500 --only long-run --seed 7 --patience 500ms");
        assertThat(run.status()).as(run.out() + run.err()).isEqualTo(1);
        assertThat(run.out()).contains("0 passed, 1 failed", "First difference, in part long-run", said,
                "What led to it",
                "sent frames ", "--frames 500 --patience 500ms --only long-run --seed 7");
        assertThat(run.out().contains("expected 0")).isEqualTo(fault.equals("flip") || fault.equals("cut"));
    }

    @Test
    void jsonIsOneDocumentWithEveryPart() throws Exception {
        Cli run = judge(card(new FaultyLoop("flip")),
                "--frames 500 --only long-run,flows,killed-server --json --seed 7");
        assertThat(run.status()).isEqualTo(1);
        Map<?, ?> document = (Map<?, ?>) Objects.requireNonNull(JsonReader.parse(run.out()));
        assertThat(document.get("seed")).hasToString("7");
        assertThat(document.get("failed")).hasToString("1");
        List<Map<?, ?>> parts = new ArrayList<>();
        ((List<?>) Objects.requireNonNull(document.get("parts"))).forEach(one -> parts.add((Map<?, ?>) one));
        assertThat(parts).hasSize(3).last().satisfies(last -> {
            assertThat(last.get("part")).isEqualTo("long-run");
            assertThat(last.get("verdict")).isEqualTo("failed");
            assertThat((List<?>) last.get("bytes")).hasSizeGreaterThan(2);
            assertThat((List<?>) last.get("history")).isNotEmpty();
        });
    }

    @Test
    void oneSeedGivesTheSameFrames() {
        String first = judge(card(new FaultyLoop("flip")), "--frames 500 --only long-run --seed 11").out();
        String again = judge(card(new FaultyLoop("flip")), "--frames 500 --only long-run --seed 11").out();
        assertThat(expected(again)).isEqualTo(expected(first)).isNotEmpty();
        assertThat(expected(judge(card(new FaultyLoop("flip")), "--frames 500 --only long-run --seed 12").out()))
                .isNotEqualTo(expected(first));
    }

    private static List<String> expected(String output) {
        return output.lines().filter(line -> line.contains(" expected ") && !line.contains("0000:")).toList();
    }
}
