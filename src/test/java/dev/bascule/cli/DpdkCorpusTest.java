package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.app.FrameKinds;
import dev.bascule.app.L2Forward;
import dev.bascule.app.Mirror;
import dev.bascule.app.enso.SampleApps;
import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.nic.dpdk.DpdkEal;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * All kinds of frames through every command on DPDK's ports, counted at the wire: what came out, was left out, dropped by an
 * application or lost is what was offered, and every byte that came out is right.
 */
@Tag("dpdk")
@Timeout(180)
class DpdkCorpusTest {
    private static final List<String> COMMANDS = Stream.concat(Stream.of("fwd", "echo", "capture", "dpdk"),
            SampleApps.NAMES.stream().map(app -> "app " + app.replace(' ', '-') + " --interface packet")).toList();
    private static final List<String> WITH_PIPES = Stream.concat(COMMANDS.stream(),
            SampleApps.NAMES.stream().map(app -> "app " + app.replace(' ', '-') + " --interface pipe")).toList();
    private static final int MTU = 1514;
    private static final int PATIENCE_SECONDS = 60;
    private static final String PORT = "net_tap0,iface=tap0";
    private static final List<byte[]> ALL = List.copyOf(FrameKinds.all().values());

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void requireDpdk() {
        Assumptions.assumeTrue(DpdkEal.missing().isEmpty(), () -> DpdkEal.missing().orElse(""));
    }

    private Path corpus() throws IOException {
        Path file = folder.resolve("in.pcap");
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("in"))) {
            for (byte[] frame : ALL) {
                writer.write(0, 0, frame, 0, frame.length);
            }
        }
        return file;
    }

    private static long number(Cli said, String key) {
        Matcher found = Pattern.compile("\"" + key + "\": (\\d+)").matcher(said.out());
        assertThat(found.find()).as(key + " in " + said.out() + said.err()).isTrue();
        return Long.parseLong(found.group(1));
    }

    /** Frames that the application did not send back, less those that it wrote. */
    private static long dropped(String command, Cli said) {
        return command.startsWith("app") && !isCapture(command) ? number(said, "droppedByTheApplication") : 0;
    }

    private static boolean isCapture(String command) {
        return command.contains("capture");
    }

    private PacketProcessor processor(String command) {
        if (command.startsWith("echo")) {
            return new Mirror();
        }
        if (command.startsWith("dpdk")) {
            return new L2Forward();
        }
        return SampleApps.NAMES.stream()
                .filter(app -> command.startsWith("app " + app.replace(' ', '-')) && !isCapture(command)
                        && !app.equals("copy"))
                .findFirst().map(app -> SampleApps.processor(app, folder)).orElse(AppRun.COPY);
    }

    private List<byte[]> expected(String command) {
        PacketProcessor processor = processor(command);
        List<byte[]> done = new ArrayList<>();
        for (byte[] frame : ALL) {
            byte[] copy = frame.clone();
            if (processor.process(MemorySegment.ofArray(copy), 0, copy.length) > 0) {
                done.add(copy);
            }
        }
        return done;
    }

    @ParameterizedTest
    @FieldSource("WITH_PIPES")
    void whatComesInFromAFile(String command) throws Exception {
        Path out = folder.resolve("out.pcap");
        String port = "net_pcap0,rx_pcap=" + corpus() + ",tx_pcap="
                + (isCapture(command) ? folder.resolve("nothing.pcap") : out);
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        words.addAll(command.equals("dpdk")
                ? List.of("--eal", "--no-huge -m 256 --no-pci --vdev=" + port, "--forward", "net_pcap0")
                : List.of("--device", "dpdk:" + port));
        words.addAll(List.of("--duration", "1s", "--json"));
        if (isCapture(command)) {
            words.addAll(List.of("-w", out.toString()));
        }
        Cli said = Cli.run(words.toArray(String[]::new));
        long dropped = dropped(command, said);
        List<byte[]> came = CorpusOnCardsTest.read(out);
        assertThat(came.size() + dropped + number(said, "lost")).as(said.toString()).isEqualTo(ALL.size());
        assertThat(said.status()).as(said.toString()).isEqualTo(number(said, "lost") == 0 ? 0 : 1);
        CorpusOnCardsTest.inOrder(came, expected(command), command.endsWith("pipe"), said);
    }

    /** A ring gives back what it is given, and pktgen compares; a file is compared here. */
    @ParameterizedTest
    @CsvSource({ "net_ring0", "net_pcap0" })
    void whatPktgenSends(String port) throws Exception {
        Path out = folder.resolve("out.pcap");
        boolean file = port.equals("net_pcap0");
        Cli said = Cli.run("pktgen", "--device", "dpdk:" + port + (file ? ",tx_pcap=" + out : ""), "--pcap",
                corpus().toString(), "--json");
        long sent = number(said, "packetsSent");
        assertThat(sent + number(said, "framesLeftOut")).as(said.toString()).isEqualTo(ALL.size());
        if (file) {
            assertThat(CorpusOnCardsTest.read(out)).as(said.toString()).hasSize((int) sent);
            CorpusOnCardsTest.inOrder(CorpusOnCardsTest.read(out), ALL, false, said);
        } else {
            assertThat(number(said, "packetsReceived") + number(said, "lost")).as(said.toString()).isEqualTo(sent);
            assertThat(said.status()).as(said.toString()).isZero();
        }
    }

    /**
     * The kernel's end of a TAP interface, in a network namespace of its own; the command of the test is behind its own
     * arguments. With nothing to send, it is there before the command sends.
     */
    private static final String TAP = """
            sysctl -qw net.ipv6.conf.default.disable_ipv6=1
            if [[ ! -s $2 ]]; then
                ip tuntap add dev "$1" mode tap multi_queue
                ip link set "$1" up
            fi
            python3 src/test/resources/frames/tap.py "$1" "$2" "$3" > "$4" &
            peer=$!
            until [[ -s $4 ]]; do sleep 0.1; done
            interface=$1
            shift 4
            "$@" || status=$?
            ip link delete "$interface" 2>/dev/null || true
            wait $peer
            exit ${status:-0}
            """;
    private static void requireTap() throws Exception {
        Assumptions.assumeTrue(Stream.of("unshare", "python3", "ip").allMatch(DpdkCorpusTest::isInstalled),
                "no unshare, python3 or ip here");
        Process namespace = new ProcessBuilder("unshare", "-n", "python3", "-c", "").start();
        Assumptions.assumeTrue(Files.isWritable(Path.of("/dev/net/tun")) && namespace.waitFor() == 0,
                "no TAP interface in a network namespace here: run as root, with python3");
    }

    private static boolean isInstalled(String program) {
        return Stream.of("/usr/bin", "/usr/sbin", "/bin", "/sbin")
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    private static List<byte[]> hex(Path file) throws IOException {
        return Files.readAllLines(file).stream().map(HexFormat.of()::parseHex).toList();
    }

    /** Runs a command while frames come at the interface of the port. */
    private Cli onTap(List<byte[]> frames, Path out, List<String> command) throws Exception {
        Path in = folder.resolve("in.hex");
        Files.write(in, frames.stream().map(HexFormat.of()::formatHex).toList());
        List<String> line = new ArrayList<>(List.of("unshare", "-n", "bash", "-euc", TAP, "tap", "tap0", in.toString(),
                out.toString(), folder.resolve("refused").toString()));
        line.addAll(Cli.command(List.of(), command.toArray(String[]::new)));
        Path said = folder.resolve("said");
        Path err = folder.resolve("err");
        Process process = new ProcessBuilder(line).redirectOutput(said.toFile()).redirectError(err.toFile()).start();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        return new Cli(process.exitValue(), Files.readString(said), Files.readString(err));
    }

    /** Whether the kernel's end sees a frame that comes: not one that ends within its VLAN tag. */
    private static boolean isSeen(byte[] frame) {
        return frame.length >= 18 || frame[12] != (byte) 0x81 || frame[13] != 0;
    }

    @ParameterizedTest
    @FieldSource("COMMANDS")
    void whatComesInFromAnInterface(String command) throws Exception {
        requireTap();
        Path out = folder.resolve("out.hex");
        Path file = folder.resolve("out.pcap");
        boolean isCapture = isCapture(command);
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        words.addAll(command.equals("dpdk")
                ? List.of("--eal", "--no-huge -m 256 --no-pci --vdev=" + PORT, "--forward", "net_tap0")
                : List.of("--device", "dpdk:" + PORT));
        words.addAll(List.of("--duration", "4s", "--json"));
        if (isCapture) {
            words.addAll(List.of("-w", file.toString()));
        }
        Cli said = onTap(ALL, out, words);
        List<byte[]> came = isCapture ? CorpusOnCardsTest.read(file) : hex(out);
        long dropped = dropped(command, said);
        List<byte[]> sent = ALL.stream().filter(frame -> frame.length <= MTU).toList();
        long unseen = isCapture ? 0 : expected(command).stream().filter(frame -> !isSeen(frame)).count();
        assertThat(Files.readString(folder.resolve("refused"))).as(said.toString())
                .endsWith("refused " + (ALL.size() - sent.size()) + "\n");
        assertThat(came.size() + dropped + number(said, "lost")).as(said.toString())
                .isEqualTo(sent.size() - unseen);
        assertThat(said.status()).as(said.toString()).isEqualTo(number(said, "lost") == 0 ? 0 : 1);
        CorpusOnCardsTest.inOrder(came, expected(command), command.endsWith("pipe"), said);
    }

    @Test
    void whatPktgenSendsToAnInterface() throws Exception {
        requireTap();
        Path out = folder.resolve("out.hex");
        Cli said = onTap(List.of(), out,
                List.of("pktgen", "--device", "dpdk:" + PORT, "--pcap", corpus().toString(), "--json"));
        assertThat(number(said, "packetsSent") + number(said, "framesLeftOut")).as(said.toString())
                .isEqualTo(ALL.size());
        List<byte[]> seen = ALL.stream().filter(DpdkCorpusTest::isSeen).toList();
        assertThat(hex(out)).as(said.toString())
                .hasSize((int) number(said, "packetsSent") - (ALL.size() - seen.size()));
        CorpusOnCardsTest.inOrder(hex(out), seen, false, said);
    }
}
