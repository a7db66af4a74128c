package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.app.FrameKinds;
import dev.bascule.app.L2Forward;
import dev.bascule.app.Mirror;
import dev.bascule.app.enso.SampleApps;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.nic.dpdk.DpdkEal;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
    private static final String PORT = "net_tap0,iface=" + TapNamespace.NAME;
    private static final List<byte[]> ALL = List.copyOf(FrameKinds.all().values());

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void requireDpdk() {
        Assumptions.assumeTrue(DpdkEal.missing().isEmpty(), () -> DpdkEal.missing().orElse(""));
    }

    /** Frames that the application did not send back, less those that it wrote. */
    private static long dropped(String command, Cli said) {
        return command.startsWith("app") && !isCapture(command)
                ? CorpusOnCardsTest.number(said, "droppedByTheApplication")
                : 0;
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
        String port = "net_pcap0,rx_pcap=" + CorpusOnCardsTest.file(folder, ALL) + ",tx_pcap="
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
        assertThat(came.size() + dropped + CorpusOnCardsTest.number(said, "lost")).as(said.toString())
                .isEqualTo(ALL.size());
        assertThat(said.status()).as(said.toString()).isEqualTo(CorpusOnCardsTest.number(said, "lost") == 0 ? 0 : 1);
        CorpusOnCardsTest.inOrder(came, expected(command), command.endsWith("pipe"), said);
    }

    /** A ring gives back what it is given, and pktgen compares; a file is compared here. */
    @ParameterizedTest
    @CsvSource({ "net_ring0", "net_pcap0" })
    void whatPktgenSends(String port) throws Exception {
        Path out = folder.resolve("out.pcap");
        boolean file = port.equals("net_pcap0");
        Cli said = Cli.run("pktgen", "--device", "dpdk:" + port + (file ? ",tx_pcap=" + out : ""), "--pcap",
                CorpusOnCardsTest.file(folder, ALL).toString(), "--json");
        long sent = CorpusOnCardsTest.number(said, "packetsSent");
        assertThat(sent + CorpusOnCardsTest.number(said, "framesLeftOut")).as(said.toString()).isEqualTo(ALL.size());
        if (file) {
            assertThat(CorpusOnCardsTest.read(out)).as(said.toString()).hasSize((int) sent);
            CorpusOnCardsTest.inOrder(CorpusOnCardsTest.read(out), ALL, false, said);
        } else {
            assertThat(CorpusOnCardsTest.number(said, "packetsReceived") + CorpusOnCardsTest.number(said, "lost"))
                    .as(said.toString()).isEqualTo(sent);
            assertThat(said.status()).as(said.toString()).isZero();
        }
    }

    /** Runs a command while frames come at the interface of the port; with nothing to send, that is there before. */
    private Cli onTap(TapNamespace tap, List<byte[]> frames, List<String> command) throws Exception {
        tap.offer(frames);
        Path said = folder.resolve("said");
        Process process = tap.start(frames.isEmpty() ? "tap multi_queue" : "",
                Cli.command(List.of(), command.toArray(String[]::new)), said);
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        return new Cli(process.exitValue(), Files.readString(said), tap.err());
    }

    @ParameterizedTest
    @FieldSource("COMMANDS")
    void whatComesInFromAnInterface(String command) throws Exception {
        TapNamespace.require();
        TapNamespace tap = new TapNamespace(folder);
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
        Cli said = onTap(tap, ALL, words);
        List<byte[]> came = isCapture ? CorpusOnCardsTest.read(file) : tap.came();
        long dropped = dropped(command, said);
        List<byte[]> sent = ALL.stream().filter(frame -> frame.length <= MTU).toList();
        long unseen = isCapture ? 0 : expected(command).stream().filter(frame -> !TapNamespace.isSeen(frame)).count();
        assertThat(tap.refused()).as(said.toString()).isEqualTo(ALL.size() - sent.size());
        assertThat(came.size() + dropped + CorpusOnCardsTest.number(said, "lost")).as(said.toString())
                .isEqualTo(sent.size() - unseen);
        assertThat(said.status()).as(said.toString()).isEqualTo(CorpusOnCardsTest.number(said, "lost") == 0 ? 0 : 1);
        CorpusOnCardsTest.inOrder(came, expected(command), command.endsWith("pipe"), said);
    }

    @Test
    void whatPktgenSendsToAnInterface() throws Exception {
        TapNamespace.require();
        TapNamespace tap = new TapNamespace(folder);
        Cli said = onTap(tap, List.of(),
                List.of("pktgen", "--device", "dpdk:" + PORT, "--pcap", CorpusOnCardsTest.file(folder, ALL).toString(),
                        "--json"));
        assertThat(CorpusOnCardsTest.number(said, "packetsSent") + CorpusOnCardsTest.number(said, "framesLeftOut"))
                .as(said.toString())
                .isEqualTo(ALL.size());
        List<byte[]> seen = ALL.stream().filter(TapNamespace::isSeen).toList();
        assertThat(tap.came()).as(said.toString())
                .hasSize((int) CorpusOnCardsTest.number(said, "packetsSent") - (ALL.size() - seen.size()));
        CorpusOnCardsTest.inOrder(tap.came(), seen, false, said);
    }
}
