package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.app.FrameKinds;
import dev.bascule.nic.dpdk.DpdkEal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Modes of {@code fwd}, beside those of DPDK's own testpmd on the same frames: what comes out is the same to the byte.
 */
@Tag("dpdk")
@Timeout(180)
class ForwardModesTest {
    private static final int SECONDS = 2;
    /**
     * Frames with which the two do different things: testpmd takes what a later fragment carries for a header, works
     * out the transport's checksum over bytes that the frame does not have, or behind UDP's own length, and the sums
     * of headers that are cut or of another version; it passes by extension headers of IPv6, and does SCTP too.
     */
    private static final Map<String, List<String>> OTHERWISE = Map.of("icmpecho", List.of("last fragment, ping"),
            "csum",
            List.of("first fragment, TCP", "middle fragment, UDP", "last fragment, UDP",
                    "last fragment, TCP, with options", "IPv4, header cut", "IPv4, header of four words",
                    "IPv4, version 5", "IPv4, options cut", "IPv4, total length of less than the header",
                    "IPv4, total length of more than the frame", "UDP, length of less than the packet", "SCTP",
                    "IPv6, length of more than the frame", "IPv6, options for the destination, long",
                    "IPv6, authentication"));
    private static final Path SCRIPT = ShellBlock.ROOT.resolve("scripts/dpdk");

    @TempDir
    private Path folder = Path.of("");

    private Path testpmd = Path.of("");

    @BeforeEach
    void find() throws Exception {
        assumeTrue(DpdkEal.missing().isEmpty(), () -> DpdkEal.missing().orElse(""));
        testpmd = Stream.of(System.getenv("PATH").split(":")).map(at -> Path.of(at, "dpdk-testpmd"))
                .filter(Files::isExecutable).findFirst().orElse(Path.of(""));
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "testpmd has a core beside that of its console");
        if (testpmd.toString().isEmpty() && Files.isExecutable(Path.of("/bin/bash"))) {
            Path said = folder.resolve("folder.txt");
            new ProcessBuilder("bash", SCRIPT.toString(), release(), "--set-up").redirectOutput(said.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start().waitFor();
            testpmd = Path.of(Files.readString(said).strip().lines().reduce("", (a, b) -> b), "usr/bin/dpdk-testpmd");
        }
        assumeTrue(Files.isExecutable(testpmd), "no testpmd: apt-get install dpdk");
    }

    /** Release whose libraries are installed, as 22.11. */
    private static String release() throws IOException {
        for (Path folder : List.of(Path.of("/usr/lib/x86_64-linux-gnu"), Path.of("/usr/lib/aarch64-linux-gnu"))) {
            for (int version = 23; version <= 40; version++) {
                if (Files.exists(folder.resolve("librte_ethdev.so." + version))) {
                    return version - 1 + ".11";
                }
            }
        }
        return "none";
    }

    /** Ports of files: what comes in at the first, and what each sends. */
    private List<String> ports(String who, Path in) {
        return List.of("net_pcap0,rx_pcap=" + in + ",tx_pcap=" + sent(who, 0),
                "net_pcap1,tx_pcap=" + sent(who, 1));
    }

    private Path sent(String who, int port) {
        return folder.resolve(who + port + ".pcap");
    }

    private void testpmd(String mode, Path in, int frames) throws Exception {
        List<String> words = new ArrayList<>(List.of(testpmd.toString(), "--no-huge", "-m", "256", "--no-pci",
                "--no-telemetry", "--no-shconf", "-l", "0,1"));
        ports("theirs", in).forEach(port -> words.add("--vdev=" + port));
        words.addAll(List.of("--", "--no-flush-rx", "--forward-mode=" + mode, "--total-num-mbufs=4096", "-i",
                "--auto-start"));
        Path said = folder.resolve("testpmd.txt");
        Process process = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        try (var quit = process.outputWriter()) {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) { // what it says comes at its end
                quit.write("stop\nquit\n");
            }
        }
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        String all = Files.readString(said);
        assumeTrue(!all.contains("error while loading shared libraries"), all);
        assertThat(all).contains("RX-packets: " + frames);
    }

    private List<String> frames(String who) throws Exception {
        List<String> all = new ArrayList<>();
        for (int port = 0; port < 2; port++) {
            for (byte[] frame : CorpusOnCardsTest.read(sent(who, port))) {
                all.add("port " + port + ": " + HexFormat.of().formatHex(frame));
            }
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = { "io", "mac", "macswap", "csum", "icmpecho", "rxonly", "noisy" })
    void whatComesOutIsWhatTestpmdSends(String mode) throws Exception {
        Map<String, byte[]> corpus = FrameKinds.all();
        corpus.keySet().removeAll(OTHERWISE.getOrDefault(mode, List.of()));
        Path in = CorpusOnCardsTest.file(folder, List.copyOf(corpus.values()));
        testpmd(mode, in, corpus.size());
        Cli said = Cli.run("fwd", "--mode", mode, "--device", "dpdk:" + String.join(",", ports("ours", in)),
                "--duration", "1s", "--json");
        assertThat(said.status()).as(said.toString()).isZero();
        assertThat(frames("ours")).as(said.toString()).containsExactlyElementsOf(frames("theirs"));
    }
}
