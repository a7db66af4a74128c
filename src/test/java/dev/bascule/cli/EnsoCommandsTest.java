package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.bascule.app.Capture;
import dev.bascule.run.Errors;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands around streams, in this process. */
@Tag("heavy")
class EnsoCommandsTest {
    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return Main.execute(line, arguments);
    }

    @Test
    void reproducePrintsOneDocumentAndWritesPlots() throws Exception {
        assertThat(run("reproduce", "enso", "--quick", "--no-apps", "--json", "--plots", folder.toString(), "--report",
                folder.resolve("enso.html").toString())).isZero();
        assertThat(out.toString()).startsWith("{").endsWith("}\n").contains("\"simulated\": true",
                "packetizedReadMetadataShare", "\"published\"");
        assertThat(folder.resolve("enso-metadata-share.svg")).exists();
        assertThat(folder.resolve("enso-latency.svg")).exists();
        assertThat(out.toString()).contains("\"what\": \"pipes, cores: 1\"", "\"kind\": \"calibrated\"",
                "\"what\": \"results that open to what was sent\"", "\"deviationPercent\"", "379 ns one way");
        assertThat(Files.readString(folder.resolve("enso.html"))).contains("<svg", "look-aside AES-GCM", "Simulated");
        assertThat(run("reproduce")).isZero();
        assertThat(out.toString()).contains("bascule reproduce enso");
    }

    @Test
    void theGeneratorTakesACaptureAndLeavesOutWhatItCannotSend() throws Exception {
        Path pcap = folder.resolve("in.pcap");
        try (Capture capture = new Capture(pcap, () -> 0)) {
            byte[] frame = new byte[80];
            frame[12] = 8;
            frame[14] = 0x45;
            frame[17] = 66;
            capture.process(MemorySegment.ofArray(frame), 0, 80);
            capture.process(MemorySegment.ofArray(new byte[80]), 0, 80);
        }
        Path histogram = folder.resolve("rtt.csv");
        assertThat(run("pktgen", "--enso", "--pcap", pcap.toString(), "--count", "3000", "--rate", "10000000", "--json",
                "--histogram", histogram.toString())).isZero();
        assertThat(out.toString()).contains("\"packetsReceived\": 3000", "\"lost\": 0", "\"framesLeftOut\": 1",
                "simulated");
        assertThat(Files.readString(histogram)).startsWith("rtt_ns,packets\n");
    }

    @Test
    void theSearchIsForACertainDeviceUnderTest() {
        assertThat(run("pktgen", "--enso", "--search", "--precision", "0.05", "--count", "20000", "--dut-rate",
                "100000000", "--json")).isZero();
        assertThat(out.toString()).contains("highestShareOfLineRateWithoutLoss");
    }

    @Test
    void aSearchFindsNoMoreThanEthernetCarries() {
        assertThat(run("pktgen", "--enso", "--search", "--size", "60", "--count", "20000", "--dut-rate", "1000000000",
                "--json")).isZero();
        Matcher rate = Pattern.compile("\"packetsPerSecond\": ([0-9.E]+)").matcher(out.toString());
        assertThat(rate.find()).as(out.toString()).isTrue();
        assertThat(Double.parseDouble(rate.group(1))).isBetween(148.0e6, 148.9e6);
        assertThat(out.toString()).contains("\"highestShareOfLineRateWithoutLoss\": 1");
    }

    @Test
    void nothingThatCanBeSentIsTold() throws Exception {
        Path empty = folder.resolve("empty.pcap");
        try (Capture capture = new Capture(empty, () -> 0)) {
            assertThat(capture.packets()).isZero();
        }
        assertThat(run("pktgen", "--enso", "--pcap", empty.toString())).isEqualTo(Errors.FAILED);
        assertThat(err.toString()).contains("no frame that can be sent");
        assertThat(run("pktgen", "--enso", "--size", "9000")).isEqualTo(Errors.FAILED);
        assertThat(run("pktgen", "--enso", "--pcap", folder.resolve("none").toString())).isEqualTo(Errors.FAILED);
    }

    @Test
    void everyEnsoVectorReplays() {
        String vectors = "src/test/resources/vectors/enso/";
        assertThat(run("replay", vectors + "18-tx-basic.jsonl.gz", vectors + "flow-table.jsonl.gz",
                vectors + "flow-hash.csv.gz")).isZero();
        assertThat(out.toString()).contains("0 of 3 files differ");
    }

    @Test
    void everyApplicationRunsOnBothInterfaces() throws Exception {
        for (String app : new String[] { "echo", "copy", "l2-forward", "maglev", "telemetry", "key-value" }) {
            for (String view : new String[] { "pipe", "packet" }) {
                out.getBuffer().setLength(0);
                assertThat(run("app", app, "--interface", view, "--count", "500", "--duration", "60s", "--json"))
                        .as(app + " on " + view + ": " + err).isZero();
                assertThat(out.toString()).as(app + " on " + view).contains("\"packets\": 500", "simulated");
            }
        }
        Path captured = folder.resolve("out.pcap");
        assertThat(run("app", "capture", "-w", captured.toString(), "--count", "100", "--duration", "60s")).isZero();
        assertThat(Files.size(captured)).isEqualTo(24 + 100 * (16 + 64));
    }

    private Path capture(byte[]... frames) throws Exception {
        Path pcap = folder.resolve("in.pcap");
        try (Capture capture = new Capture(pcap, () -> 0)) {
            for (byte[] frame : frames) {
                capture.process(MemorySegment.ofArray(frame), 0, frame.length);
            }
        }
        return pcap;
    }

    private static byte[] log(int flow, String text) {
        byte[] frame = new byte[42 + text.length()];
        frame[12] = 8;
        frame[14] = 0x45;
        frame[17] = (byte) (28 + text.length());
        frame[23] = 17;
        frame[29] = (byte) flow;
        frame[39] = (byte) (8 + text.length());
        System.arraycopy(text.getBytes(StandardCharsets.US_ASCII), 0, frame, 42, text.length());
        return frame;
    }

    @Test
    void applicationsTakeACaptureAndSayWhatTheyFound() throws Exception {
        String pcap = capture(log(1, "from 10.0.0.1: err"), log(2, "or 1\nabc"), log(1, "or 7 and more text\n"),
                log(1, "error 9 at last\n")).toString();
        Path patterns = Files.writeString(folder.resolve("patterns"), "\\berror \\d$\n\n(?:and|at)\\s\\S+\n");
        for (String view : new String[] { "pipe", "packet" }) {
            out.getBuffer().setLength(0);
            assertThat(run("app", "log-monitor", "--interface", view, "--pcap", pcap, "--patterns", patterns.toString(),
                    "--json")).as(err.toString()).isZero();
            assertThat(out.toString()).contains("\"packets\": 4,", "\"streams\": 2,", "\"matches\": 8,",
                    "\"matchesOfPattern1\": 8", "\"ended\": \"all 4 packets came\"");
        }
        assertThat(run("app", "maglev", "--pcap", pcap)).isZero();
        assertThat(out.toString()).contains("back ends given a connection", "2");
        assertThat(run("app", "telemetry", "--pcap", pcap, "--count", "60000", "--duration", "60s")).isZero();
        Matcher sizes = Pattern.compile("0.0.0.1:0 > 0.0.0.0:0 (\\d+); 0.0.0.2:0 > 0.0.0.0:0 (\\d+)")
                .matcher(out.toString());
        assertThat(sizes.find()).as(out.toString()).isTrue(); // of one packet in a hundred, with a seed
        assertThat(Long.parseLong(sizes.group(1))).isCloseTo(45_000, withinPercentage(20));
        assertThat(Long.parseLong(sizes.group(2))).isCloseTo(15_000, withinPercentage(20));
        out.getBuffer().setLength(0);
        assertThat(run("app", "key-value", "--count", "1000", "--json")).isZero();
        assertThat(out.toString()).contains("\"requestsServed\": 1000,", "\"stored\": 100,", "\"hits\": 900,");
        assertThat(run("app", "copy", "--pcap", pcap)).isZero();
        assertThat(run("app", "echo", "--patterns", pcap)).isEqualTo(Errors.USAGE);
    }

    /** The card cuts what leaves by its IPv4 length. */
    @Test
    void whatAnApplicationOnPipesCannotSendBackIsALoss() throws Exception {
        byte[] arp = new byte[60];
        arp[12] = 8;
        arp[13] = 6;
        arp[16] = 8;
        String pcap = capture(log(1, "before"), arp, log(1, "behind")).toString();
        assertThat(run("app", "echo", "--pcap", pcap, "--json")).isEqualTo(Errors.FAILED);
        assertThat(out.toString()).contains("\"packets\": 3,", "not IPv4 as the card cuts it");
    }

    @Test
    void pipesOnAPacketCardCountTheirCopies() {
        assertThat(run("app", "log-monitor", "--card", "corundum", "--count", "100", "--duration", "60s", "--json"))
                .isZero();
        assertThat(out.toString()).contains("\"packets\": 100", "\"sentBack\": 0", "\"copiedBytes\": 57600");
    }

    @Test
    void anUnknownApplicationInterfaceOrCardIsNamed() {
        assertThat(run("app", "chess")).isEqualTo(Errors.USAGE);
        assertThat(err.toString()).contains("'chess'", "l2-forward", "key-value");
        assertThat(run("app", "echo", "--interface", "socket")).isEqualTo(Errors.USAGE);
        assertThat(err.toString()).contains("--interface socket");
        assertThat(run("app", "echo", "--card", "e1000")).isEqualTo(Errors.USAGE);
        assertThat(err.toString()).contains("--card e1000");
    }

    @Test
    void programsAreServedByAnEnsoInAFolderThatIsThere() {
        assertThat(run("serve", "--device", "corundum", "--programs", "/mnt/huge/enso")).isEqualTo(Errors.USAGE);
        assertThat(err.toString()).contains("--programs is for --device enso");
        assertThat(run("serve", "--device", "enso", "--programs", folder.resolve("none/enso").toString()))
                .isEqualTo(Errors.FAILED);
        assertThat(err.toString()).contains("there is no folder", "mount -t hugetlbfs");
        assertThat(run("serve", "--device", "enso")).isEqualTo(2);
    }

    @Test
    void aWrongHashIsADifference() throws Exception {
        Path table = folder.resolve("hashes.csv");
        Files.writeString(table, """
                src_ip,src_port,dst_ip,dst_port,hash_seed0,hash_seed1,hash_seed2,hash_seed3
                0.0.0.0,0,192.168.0.0,80,1f302f21,823999fa,d1966911,00000000
                0.0.0.0,0,192.168.0.0
                1.2.3.x,0,192.168.0.0,80,1f302f21,823999fa,d1966911,00000000
                """);
        assertThat(run("replay", "--json", table.toString())).isEqualTo(Errors.FAILED);
        assertThat(out.toString()).contains("line 2: seed 3", "line 3: has 3 fields", "line 4: cannot be read");
    }

    @Test
    void withoutDpdkThereIsAClearMessage() {
        System.setProperty("bascule.dpdk.libraries", "/nonexistent");
        try {
            assertThat(run("dpdk", "--eal", "--no-huge")).isEqualTo(Errors.FAILED);
            assertThat(err.toString()).contains("apt-get install libdpdk-dev").doesNotContain("at dev.bascule");
        } finally {
            System.clearProperty("bascule.dpdk.libraries");
        }
    }
}
