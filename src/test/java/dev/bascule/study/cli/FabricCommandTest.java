package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.Cli;
import dev.bascule.model.wire.CaptureReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FabricCommandTest {
    private static final Path GRAPH = Path.of(System.getProperty("bascule.baseDirectory", "."),
            "hw-configs/fabric/private-inference.yaml").toAbsolutePath();

    @TempDir
    private Path folder;

    private Path frames(int count) {
        Path file = folder.resolve("in.pcap");
        Cli made = Cli.call("fabric", "frames", GRAPH.toString(), "--count", Integer.toString(count), "--out",
                file.toString());
        assertThat(made.status()).as(made.err()).isZero();
        return file;
    }

    private static int count(Path capture) throws Exception {
        int count = 0;
        try (CaptureReader reader = CaptureReader.open(capture)) {
            while (reader.next() != null) {
                count++;
            }
        }
        return count;
    }

    @Test
    void everyFrameIsAnsweredByStreamsAndWithTheCpuInTheMiddle() throws Exception {
        Path in = frames(300);
        Path out = folder.resolve("out.pcapng");
        Cli streams = Cli.call("fabric", "run", GRAPH.toString(), "--in", in.toString(), "--out", out.toString(),
                "--json");
        assertThat(streams.status()).as(streams.err()).isZero();
        assertThat(streams.out()).contains("\"framesIn\": 300", "\"completed\": 300", "\"halfRoundTripsPerItem\": 3",
                "\"simulated\": true");
        assertThat(count(out)).isEqualTo(300);
        Cli cpu = Cli.call("fabric", "run", GRAPH.toString(), "--in", in.toString(), "--cpu");
        assertThat(cpu.status()).as(cpu.err()).isZero();
        assertThat(cpu.out()).contains("half round trips     18.00 an item", "came to the end      300");
    }

    @Test
    void aDamagedFrameEndsInStatusOneAndItsReason() throws Exception {
        Path in = frames(3);
        byte[] bytes = Files.readAllBytes(in);
        bytes[bytes.length - 20] ^= 1;
        Files.write(in, bytes);
        Cli run = Cli.call("fabric", "run", GRAPH.toString(), "--in", in.toString());
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).contains("came to the end      2", "1: the device rejected it");
    }

    @Test
    void aWrongGraphIsSaidWithItsLine() throws Exception {
        Path graph = folder.resolve("g.yaml");
        Files.writeString(graph, Files.readString(GRAPH).replace("open -> classify", "open -> clasify"));
        Cli check = Cli.call("fabric", "check", graph.toString());
        assertThat(check.status()).isNotZero();
        assertThat(check.err()).contains("g.yaml:", "no node 'clasify'; there are in, open, classify, out");
        Cli none = Cli.call("fabric", "check", folder.resolve("none.yaml").toString());
        assertThat(none.status()).isNotZero();
        assertThat(none.err()).contains("none.yaml");
    }

    private Path storing(String file) throws Exception {
        return Files.writeString(folder.resolve("store.yaml"), """
                kind: fabric
                name: storing
                devices:
                  nic0: { kind: nic }
                  disk0: { kind: store, file: "FILE" }
                nodes:
                  in: { device: nic0, do: receive }
                  keep: { device: disk0, do: append }
                edges:
                  - in -> keep
                """.replace("FILE", file));
    }

    @Test
    void aStoreMakesANewFileWhereTheUserSaysAndNowhereElse() throws Exception {
        Path in = frames(3);
        Path graph = storing("seen.bin");
        Path precious = Files.writeString(folder.resolve("seen.bin"), "precious");
        Cli without = Cli.call("fabric", "run", graph.toString(), "--in", in.toString());
        assertThat(without.status()).isNotZero();
        assertThat(without.err()).contains("--stores DIR");
        Path stores = Files.createDirectory(folder.resolve("stores"));
        Cli check = Cli.call("fabric", "check", graph.toString());
        assertThat(check.out()).contains("'run' writes the new file DIR/seen.bin");
        Cli run = Cli.call("fabric", "run", graph.toString(), "--in", in.toString(), "--stores", stores.toString());
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(stores.resolve("seen.bin")).isNotEmptyFile();
        byte[] kept = Files.readAllBytes(stores.resolve("seen.bin"));
        Cli again = Cli.call("fabric", "run", graph.toString(), "--in", in.toString(), "--stores", stores.toString());
        assertThat(again.status()).isNotZero();
        assertThat(again.err()).contains("seen.bin is there already");
        assertThat(stores.resolve("seen.bin")).hasBinaryContent(kept);
        assertThat(precious).hasContent("precious");
    }

    @ParameterizedTest
    @ValueSource(strings = { "../seen.bin", "/tmp/seen.bin", ".hidden", "a/b", "..", "" })
    void aStoresFileIsAPlainName(String name) throws Exception {
        Cli check = Cli.call("fabric", "check", storing(name).toString());
        assertThat(check.status()).isNotZero();
        assertThat(check.err()).contains("store.yaml:5:");
        assertThat(check.out()).doesNotContain("writes");
    }

    @Test
    void whatDoesNotFitIsRefusedInWords() {
        Path in = frames(3);
        assertThat(Cli.call("fabric", "run", GRAPH.toString(), "--in", in.toString(), "--link", "fast").err())
                .contains("--link fast: gen3x16, none, or Gbit/s above 0");
        assertThat(Cli.call("fabric", "run", GRAPH.toString(), "--in", in.toString(), "--stages", "3").err())
                .contains("the graph needs 7 stages and the switch has 3");
        assertThat(Cli.call("fabric", "run", GRAPH.toString(), "--in", in.toString(), "--streams", "0").err())
                .contains("--streams 0: 1 to 16777216");
    }

    @Test
    @Tag("process")
    void aUsersThreeCommandsWorkFromAnEmptyFolder() throws Exception {
        Cli frames = Cli.runIn(folder, List.of(), "fabric", "frames", GRAPH.toString(), "--count", "50", "--out",
                "a.pcap");
        assertThat(frames.status()).as(frames.err()).isZero();
        Cli run = Cli.runIn(folder, List.of(), "fabric", "run", GRAPH.toString(), "--in", "a.pcap", "--out", "b.pcap");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).contains("came to the end      50", "CPU actions an item  0.00");
        assertThat(count(folder.resolve("b.pcap"))).isEqualTo(50);
    }

    @Test
    @Tag("process")
    void aServedCardsTrafficPassesTheChain() throws Exception {
        Path in = frames(200);
        Path socket = folder.resolve("nic");
        Process server = new ProcessBuilder(
                Cli.command(List.of(), "serve", "--device", "corundum", "--ports", "1", "--socket",
                        socket.toString(), "--wire", "fabric:" + GRAPH))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("serve.log").toFile()).start();
        try {
            for (int i = 0; i < 1200 && !Files.exists(socket); i++) {
                Thread.sleep(50);
            }
            Cli sent = Cli.run("pktgen", "--device", socket.toString(), "--pcap", in.toString(), "--rate", "2000",
                    "--json");
            assertThat(sent.status()).as(sent.err() + Files.readString(folder.resolve("serve.log"))).isZero();
            assertThat(sent.out()).contains("\"packetsSent\": 200", "\"lost\": 0");
        } finally {
            server.destroy();
            server.waitFor();
        }
    }
}
