package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.DeviceModel;
import dev.bascule.ffi.Signals;
import dev.bascule.junit.ByTurns;
import dev.bascule.model.Cables;
import dev.bascule.model.CountedWire;
import dev.bascule.model.cndm.CndmCard;
import dev.bascule.model.cndm.CndmConfig;
import dev.bascule.model.cndm.proto.ProtoCard;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.run.Errors;
import dev.bascule.vfiouser.VfioUserServer;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of {@code judge} that kill processes, and its end by Ctrl-C. */
@Tag("process")
@Timeout(180)
class JudgeProcessTest {
    private static final int SIGINT = 2;

    @TempDir
    private Path folder;

    @ByTurns(of = 3)
    @ParameterizedTest
    @CsvSource({ "corundum, 2", "cndm, 1", "cndm-proto, 1" })
    void aDriverIsKilledAndTheCardIsUsableAgain(String card, String queues) throws Exception {
        Path socket = folder.resolve("card");
        try (VfioUserServer server = VfioUserServer.serve(loop(card), socket, event -> {})) {
            Cli run = Cli.run("judge", "--device", server.path().toString(), "--queues", queues, "--only",
                    "killed-driver");
            assertThat(run.status()).as(run.out() + run.err()).isZero();
            assertThat(run.out()).containsPattern("killed-driver +passed");
        }
    }

    private static DeviceModel loop(String card) {
        return switch (card) {
            case "cndm" -> new CndmCard(CndmConfig.MICRO.withPorts(1), List.of(new CountedWire(Cables.loopback())));
            case "cndm-proto" -> new ProtoCard(List.of(new CountedWire(Cables.loopback())));
            default -> new CorundumModel(CorundumConfig.builder().ports(1).schedulers(1).build(),
                    List.of(Cables.loopback()), true);
        };
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @ValueSource(strings = { "corundum --link-delay 0s", "cndm --profile lite", "cndm --profile proto" })
    void aServerIsKilledAndTheNextOneIsUsed(String device) throws Exception {
        Path socket = folder.resolve("card");
        String command = "exec " + String.join(" ", Cli.command(List.of(), "serve", "--ports", "1", "--socket",
                socket.toString(), "--device")) + " " + device;
        Cli run = Cli.run("judge", "--device", socket.toString(), "--restart-command", command, "--only",
                "killed-server");
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).containsPattern("killed-server +passed");
        assertThat(ProcessHandle.allProcesses().flatMap(one -> one.info().commandLine().stream())
                .filter(line -> line.contains(socket.toString()))).as("servers left behind").isEmpty();
    }

    @Test
    void aServerThatDoesNotStartIsSaidSo() throws Exception {
        Cli run = Cli.run("judge", "--device", folder.resolve("none").toString(), "--restart-command", "exit 3");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("--restart-command 'exit 3'", "ended with 3");
    }

    @Test
    void interruptedItSaysWhatItFoundSoFarAndLeavesNothingBehind() throws Exception {
        Path out = folder.resolve("out.txt");
        Process process = new ProcessBuilder(Cli.command(List.of("-Djava.io.tmpdir=" + folder), "judge", "--only",
                "frames,long-run", "--frames", "2000000000")).redirectOutput(out.toFile()).start();
        try (BufferedReader progress = process.errorReader()) {
            String said = progress.readLine();
            while (said != null && !said.contains("long-run: sent")) {
                said = progress.readLine();
            }
            assertThat(said).as("how far it is").isNotNull();
            Signals.send(process.pid(), SIGINT);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).isEqualTo(Errors.INTERRUPTED);
        assertThat(Files.readString(out)).contains("1 passed, 0 failed", "interrupted");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left.filter(one -> one.getFileName().toString().startsWith("bascule-judge"))).isEmpty();
        }
    }
}
