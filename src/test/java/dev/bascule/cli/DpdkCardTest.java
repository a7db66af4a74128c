package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.app.FrameKinds;
import dev.bascule.app.L2Forward;
import dev.bascule.app.Probe;
import dev.bascule.model.wire.CaptureReader;
import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.model.wire.CapturedFrame;
import dev.bascule.nic.dpdk.DpdkEal;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** DPDK's ports as the card of any command; a process each, since DPDK starts once in one. */
@Tag("dpdk")
@Timeout(180)
class DpdkCardTest {
    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void requireDpdk() {
        Assumptions.assumeTrue(DpdkEal.missing().isEmpty(), () -> DpdkEal.missing().orElse(""));
    }

    @Test
    void probesComeBackFromARing() throws Exception {
        Cli run = Cli.run("pktgen", "--device", "dpdk:net_ring0", "--count", "500", "--rate", "20000", "--json");
        assertThat(run.status()).as(run.err() + run.out()).isZero();
        assertThat(run.out()).contains("\"card\": \"dpdk:net_ring0\"", "\"packetsReceived\": 500", "\"lost\": 0");
    }

    @Test
    void twoPortsAreForwardedBetweenByTwoQueues() throws Exception {
        Cli run = Cli.run("fwd", "--device", "dpdk:net_null0,net_null1", "--duration", "300ms", "--json");
        assertThat(run.status()).as(run.err() + run.out()).isZero();
        assertThat(run.out()).contains("\"errors\": 0").doesNotContain("\"packetsIn\": 0,");
    }

    private Path corpus(Collection<byte[]> frames) throws IOException {
        Path file = folder.resolve("in.pcap");
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("in"))) {
            for (byte[] frame : frames) {
                writer.write(0, 0, frame, 0, frame.length);
            }
        }
        return file;
    }

    /** Two bytes more than a buffer, and what takes several. */
    private static List<byte[]> frames() {
        List<byte[]> frames = new ArrayList<>(FrameKinds.all().values());
        for (int length : new int[] { 2048, 2050, 4096, 4100, 9014, 16_000 }) {
            byte[] frame = new byte[length];
            new Random(length).nextBytes(frame);
            frames.add(frame);
        }
        return frames;
    }

    @Test
    void eachKindOfFrameIsForwardedWholeAlsoInPieces() throws Exception {
        List<byte[]> frames = frames();
        Path out = folder.resolve("out.pcap");
        Cli run = Cli.run("dpdk", "--eal", "--no-huge -m 256 --no-pci --vdev=net_pcap0,rx_pcap=" + corpus(frames)
                + ",tx_pcap=" + out, "--forward", "net_pcap0", "--duration", "1s", "--json");
        assertThat(run.status()).as(run.err() + run.out()).isZero();
        assertThat(run.out()).contains("\"packets\": " + frames.size(), "\"lost\": 0");
        L2Forward swap = new L2Forward();
        try (CaptureReader reader = CaptureReader.open(out)) {
            for (byte[] frame : frames) {
                swap.process(MemorySegment.ofArray(frame), 0, frame.length);
                CapturedFrame seen = reader.next();
                assertThat(seen).isNotNull();
                assertThat(seen.data()).isEqualTo(frame);
            }
            assertThat(reader.next()).isNull();
        }
    }

    @Test
    void eachKindOfFrameComesBackFromARingOrIsLeftOut() throws Exception {
        List<byte[]> frames = frames();
        Cli run = Cli.run("pktgen", "--device", "dpdk:net_ring0", "--pcap", corpus(frames).toString(), "--json");
        assertThat(run.status()).as(run.err() + run.out()).isZero();
        long tooLong = frames.stream().filter(frame -> frame.length > FrameSource.LONGEST).count();
        assertThat(run.out()).contains("\"framesLeftOut\": " + tooLong, "\"lack\": \"longer than 9214 bytes\"",
                "\"packetsSent\": " + (frames.size() - tooLong), "\"packetsReceived\": " + (frames.size() - tooLong),
                "\"lost\": 0");
    }

    /** A frame longer than the interface takes would hold up all behind it. */
    @Test
    void aTapInterfaceRefusesWhatItNeverTakes() throws Exception {
        Assumptions.assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "no TAP here");
        List<byte[]> frames = List.of(Probe.frame(60), Probe.frame(2000), Probe.frame(90));
        Cli run = Cli.run("pktgen", "--device", "dpdk:net_tap0", "--pcap", corpus(frames).toString(), "--duration",
                "2s",
                "--loop", "2", "--json");
        assertThat(run.out()).as(run.err()).contains("\"framesLeftOut\": 1", "\"packetsSent\": 4");
    }

    @Test
    void aSecondaryProcessIsRefusedAndSoIsAPortThatIsNotThere() throws Exception {
        Cli secondary = Cli.run("dpdk", "--eal", "--proc-type=secondary --no-huge");
        assertThat(secondary.status()).isEqualTo(1);
        assertThat(secondary.err()).contains("secondary process", "--file-prefix");
        Cli absent = Cli.run("echo", "--device", "dpdk:0000:ff:1f.7");
        assertThat(absent.status()).isEqualTo(1);
        assertThat(absent.err()).contains("0000:ff:1f.7");
    }

    @Test
    void argumentsNameOnlyThePortsWanted() {
        assertThat(DpdkPorts.arguments(List.of("65:00.0", "net_null0"), true)).contains("-a", "0000:65:00.0",
                "--vdev=net_null0", "--in-memory").doesNotContain("--no-pci", "--no-huge");
        assertThat(DpdkPorts.names("net_pcap0,rx_pcap=a,tx_pcap=b,65:00.0,net_tap1,iface=t")).containsExactly(
                "net_pcap0,rx_pcap=a,tx_pcap=b", "65:00.0", "net_tap1,iface=t");
        assertThat(DpdkPorts.arguments(List.of("net_null0"), false)).contains("--no-pci", "--no-huge");
    }
}
