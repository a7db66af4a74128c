package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.model.Cables;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.run.Errors;
import dev.bascule.vfiouser.VfioUserServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands on a card, in this process. */
@Timeout(120)
class NicCommandsTest {
    @TempDir
    private Path folder;

    @Test
    void fwdForwardsEveryPacketAndSaysWhatItCost() {
        Cli run = Cli.call("fwd", "--count", "20000", "--json");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).contains("\"packetsIn\": 20000", "\"packetsOut\": 20000", "\"errors\": 0",
                "\"droppedNoRoom\": 0", "simulated");
        assertThat(number(run.out(), "metadataBytesPerPacket")).as("two descriptors and two completions")
                .isBetween(90.0, 120.0);
        assertThat(number(run.out(), "mmioWritesPerPacket")).isLessThan(3);
        assertThat(number(run.out(), "dmaTransactionsPerPacket")).as("two descriptors, two completions, the data twice")
                .isBetween(5.8, 6.5);
    }

    private static double number(String json, String key) {
        int at = json.indexOf("\"" + key + "\":");
        assertThat(at).as(key + " in " + json).isNotNegative();
        return Double.parseDouble(json.substring(at + key.length() + 3).split("[,\n}]")[0].strip());
    }

    @Test
    void pktgenMeasuresLossAndLatency() {
        // as many as the receive ring holds, so that none is lost however busy the machine is
        Cli run = Cli.call("pktgen", "--count", "900", "--rate", "100000", "--size", "64,200");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).containsPattern("packets received +900").containsPattern("lost +0")
                .containsPattern("out of order +0").contains("latency p99, us", "#");
        Cli json = Cli.call("pktgen", "--count", "100", "--json");
        assertThat(json.out()).startsWith("{").contains("\"packetsReceived\": 100").doesNotContain("#");
        assertThat(number(json.out(), "mmioWritesPerPacket")).isBetween(0.01, 3.0);
    }

    private Path recorded(String name, int frames, long gapNanos) throws IOException {
        Path file = folder.resolve(name);
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("port"))) {
            for (int i = 0; i < frames; i++) {
                writer.write(1_700_000_000_000_000_000L + i * gapNanos, 0, new byte[60 + i], 0, 60 + i);
            }
        }
        return file;
    }

    @ParameterizedTest
    @ValueSource(strings = { "in.pcap", "in.pcapng" })
    void pktgenReplaysACaptureFile(String name) throws IOException {
        String file = recorded(name, 20, 1_000_000).toString();
        Cli once = Cli.call("pktgen", "--pcap", file, "--json");
        assertThat(once.status()).as(once.err()).isZero();
        assertThat(once.out()).contains("\"frames\": 20", "\"packetsSent\": 20", "\"packetsReceived\": 20")
                .doesNotContain("latency");
        Cli often = Cli.call("pktgen", "--pcap", file, "--loop", "7", "--rate", "100000", "--json");
        assertThat(often.out()).as(often.err()).contains("\"packetsSent\": 140", "\"lost\": 0");
        Cli counted = Cli.call("pktgen", "--pcap", file, "--count", "33", "--json");
        assertThat(counted.out()).as(counted.err()).contains("\"packetsSent\": 33");
        Cli paced = Cli.call("pktgen", "--pcap", file, "--speed", "0.5", "--json");
        assertThat(number(paced.out(), "seconds")).as("19 ms, in twice the time").isGreaterThan(0.037);
    }

    @Test
    void pktgenRefusesWhatCannotBeReplayed() throws IOException {
        Path cut = recorded("cut.pcap", 3, 0);
        byte[] bytes = Files.readAllBytes(cut);
        Files.write(cut, java.util.Arrays.copyOf(bytes, bytes.length - 5));
        Path foreign = Files.writeString(folder.resolve("foreign.txt"), "hello, world");
        for (Path file : List.of(cut, foreign, recorded("empty.pcap", 0, 0), folder.resolve("none.pcap"))) {
            Cli run = Cli.call("pktgen", "--pcap", file.toString());
            assertThat(run.status()).as(run.out()).isEqualTo(1);
            assertThat(run.err()).contains(file.getFileName().toString());
        }
        for (List<String> words : List.of(List.of("--loop", "2"), List.of("--pcap", "x", "--rate", "1", "--speed", "1"),
                List.of("--pcap", "x", "--loop", "-1"), List.of("--pcap", "x", "--speed", "0"))) {
            Cli run = Cli.call(java.util.stream.Stream.concat(java.util.stream.Stream.of("pktgen"), words.stream())
                    .toArray(String[]::new));
            assertThat(run.status()).as(words.toString()).isEqualTo(Errors.USAGE);
            assertThat(run.err()).containsAnyOf("--loop", "--speed");
        }
    }

    @Test
    void echoAnswersEveryPacket() {
        Cli run = Cli.call("echo", "--count", "5000", "--json");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).contains("\"packets\": 5000");
    }

    @Test
    void dumpShowsBlocksQueuesAndClock() {
        Cli run = Cli.call("dump");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).contains("device block: firmware ID", "interface 0 block: interface control",
                "interface 0 block: scheduler", "PHC", "nominal period   6.400000000 ns").doesNotContain("TXQ 0");
        Cli all = Cli.call("dump", "--all", "--json");
        assertThat(all.out()).startsWith("{").contains("interface 0 TXQ 511", "interface 0 EQ 31");
    }

    @Test
    void aServedCardIsReachedByItsSocket() {
        Path socket = folder.resolve("card.sock");
        try (VfioUserServer server = VfioUserServer.serve(
                new CorundumModel(CorundumConfig.builder().build(), Cables.cross(), true), socket, event -> {})) {
            Cli dump = Cli.call("dump", "--device", server.path().toString());
            assertThat(dump.status()).as(dump.err()).isZero();
            assertThat(dump.out()).contains("interface 0 block: port control");
        }
    }

    @Test
    void aServedCardIsProbedAndReadByItsSocket() {
        Path socket = folder.resolve("card.sock");
        try (VfioUserServer server = VfioUserServer.serve(
                new CorundumModel(CorundumConfig.builder().build(), Cables.cross(), true), socket, event -> {})) {
            Cli probe = Cli.call("probe", server.path().toString());
            assertThat(probe.status()).as(probe.err()).isZero();
            assertThat(probe.out()).startsWith(socket + " 1234:1001\n").containsPattern("Bascule driver +corundum")
                    .containsPattern("BAR +0: 16M, 64-bit").containsPattern("interrupts +msix: 32")
                    .containsPattern("register block type +0x").containsPattern("PCI Express");
            Cli json = Cli.call("probe", server.path().toString(), "--json");
            assertThat(json.out()).contains("\"socket\": \"" + socket + "\"", "\"opened\": true",
                    "\"problem\": null");
            Cli regs = Cli.call("regs", server.path().toString(), "config", "0", "--width", "2");
            assertThat(regs.out()).as(regs.err()).contains("0x1234");
        }
        Cli absent = Cli.call("probe", folder.resolve("none").toString());
        assertThat(absent.status()).isEqualTo(1);
        assertThat(absent.err()).contains("bascule serve");
    }

    @ParameterizedTest
    @ValueSource(strings = { "dump --device", "pktgen --device", "probe", "run --transport wave --device" })
    void aSilentServerIsGivenUpAfterTheTimeThatTheOptionSays(String command) {
        Path socket = folder.resolve("silent.sock");
        try (UnixListener silent = UnixListener.listen(socket, UnixSocket.Type.STREAM)) {
            List<String> words = new ArrayList<>(List.of(command.split(" ")));
            words.addAll(List.of(socket.toString(), "--device-timeout", "30ms"));
            Cli run = Cli.call(words.toArray(String[]::new));
            assertThat(run.status()).as(run.out()).isEqualTo(1);
            assertThat(run.err()).contains("no answer for 30 ms", "--device-timeout");
        }
    }

    @Test
    void aDeviceThatIsNotThereIsSaidSo() {
        Cli run = Cli.call("fwd", "--device", folder.resolve("none").toString());
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("bascule serve --device corundum");
    }

    @ParameterizedTest
    @ValueSource(strings = { "fwd", "pktgen", "echo", "dump" })
    void aPciAddressIsTakenForOne(String command) {
        Cli absent = Cli.call(command, "--device", "fffe:1f:1e.7");
        assertThat(absent.status()).isEqualTo(1);
        assertThat(absent.err()).contains("fffe:1f:1e.7", "no such PCI function", "bascule devices");
    }

    private static Path vector(String name) {
        return Path.of("src/test/resources/vectors").resolve(name);
    }

    @Test
    void replayTellsTheDevicesApartAndFindsNoDifference() {
        Cli run = Cli.call("replay", vector("corundum/loopback.jsonl.gz").toString(),
                vector("enso/05-rx-sizes.jsonl.gz").toString());
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains("0 of 2 files differ").containsPattern("loopback.jsonl.gz +ok");
    }

    @Test
    void replayShowsTheFirstDifferenceOfEachFileWithItsLine() throws IOException {
        String text = unpack(vector("corundum/loopback.jsonl.gz"));
        int at = text.indexOf("\"expect\":\"0x", text.indexOf("read32"));
        int line = (int) text.substring(0, at).chars().filter(c -> c == '\n').count() + 1;
        char digit = text.charAt(at + 12);
        Path wrong = folder.resolve("wrong.jsonl");
        Files.writeString(wrong,
                text.substring(0, at + 12) + (digit == '7' ? '6' : '7') + text.substring(at + 13));
        Cli run = Cli.call("replay", wrong.toString(), vector("corundum/link.jsonl.gz").toString());
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).contains("wrong.jsonl", "DIFFERS, line " + line + ":", "1 of 2 files differ");
        Cli json = Cli.call("replay", "--json", wrong.toString());
        assertThat(json.status()).isEqualTo(1);
        assertThat(json.out()).contains("\"passed\": false", "line " + line);
    }

    private static String unpack(Path file) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            in.transferTo(out);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aFileThatIsNoVectorFileIsRefusedWithItsName() throws IOException {
        Path file = folder.resolve("other.txt");
        for (String content : List.of("hello\n", "{\"op\":\"config\",\"device\":\"corundum mqnic\"}\n", "{\"op\":")) {
            Files.writeString(file, content);
            Cli run = Cli.call("replay", file.toString());
            assertThat(run.status()).as(content).isEqualTo(1);
            assertThat(run.err()).contains("other.txt");
        }
        Cli missing = Cli.call("replay", folder.resolve("none").toString());
        assertThat(missing.status()).isEqualTo(1);
        assertThat(missing.err()).contains("none");
    }

    @Test
    void captureWritesAPcapngFileWithTheCardsTimes() throws IOException {
        Path file = folder.resolve("out.pcapng");
        long before = System.currentTimeMillis() * 1_000_000L - 1_000_000_000L;
        Cli run = Cli.call("capture", "-w", file.toString(), "--count", "50", "--rate", "5000", "--size", "61",
                "--json");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).contains("\"packets\": 50", "\"stampedByTheCard\": 50");
        ByteBuffer blocks = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(blocks.getInt(0)).isEqualTo(0x0A0D0D0A);
        int at = blocks.getInt(4);
        assertThat(blocks.getInt(at)).as("interface description").isEqualTo(1);
        at += blocks.getInt(at + 4);
        long last = before;
        int packets = 0;
        while (at < blocks.capacity()) {
            int bytes = blocks.getInt(at + 4);
            assertThat(blocks.getInt(at)).isEqualTo(6);
            assertThat(blocks.getInt(at + bytes - 4)).as("length at the end").isEqualTo(bytes);
            assertThat(blocks.getInt(at + 20)).isEqualTo(61).isEqualTo(blocks.getInt(at + 24));
            long nanos = (long) blocks.getInt(at + 12) << 32 | blocks.getInt(at + 16) & 0xFFFFFFFFL;
            assertThat(nanos).isBetween(last, System.currentTimeMillis() * 1_000_000L + 1_000_000_000L);
            assertThat(blocks.get(at + 28)).as("first byte of a probe").isEqualTo((byte) 2);
            last = nanos;
            at += bytes;
            packets++;
        }
        assertThat(packets).isEqualTo(50);
        Cli refused = Cli.call("capture", "-w", folder.resolve("no/such").toString(), "--count", "1");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("no/such");
    }

    @ParameterizedTest
    @ValueSource(strings = { "capture", "fwd", "pktgen", "echo", "dump", "replay" })
    void helpHasExamples(String command) {
        Cli run = Cli.call(command, "--help");
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("Examples:", "bascule " + command, "--json");
    }
}
