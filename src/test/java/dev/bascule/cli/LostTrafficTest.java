package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.run.Errors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traffic commands that get fewer frames than were sent: they end, say what was lost and where, and fail. */
class LostTrafficTest {
    private static final String FLOOD = "1000000000";

    @TempDir
    private Path folder = Path.of("");

    private static long number(Cli said, String name) {
        Matcher found = Pattern.compile("\"" + name + "\": (\\d+)").matcher(said.out());
        assertThat(found.find()).as("%s in %s%s", name, said.out(), said.err()).isTrue();
        return Long.parseLong(found.group(1));
    }

    @Test
    void captureEndsBySilenceAndSaysWhatWasLostAndWhere() {
        Cli said = Cli.call("capture", "-w", folder.resolve("out.pcapng").toString(), "--count", "200000", "--rate",
                FLOOD, "--json");
        assertThat(number(said, "sentToThePort")).isEqualTo(200_000);
        assertThat(number(said, "lost")).isPositive().isEqualTo(200_000 - number(said, "packets"));
        assertThat(said.out()).containsPattern("\"lack\": \"(no room|no descriptor)\",\\s+\"frames\": \\d+");
        assertThat(said.status()).isEqualTo(Errors.FAILED);
    }

    @Test
    void echoSaysWhatWasLostAndWhere() {
        Cli said = Cli.call("echo", "--count", "200000", "--rate", FLOOD, "--json");
        assertThat(number(said, "sentToThePort")).isEqualTo(200_000);
        assertThat(number(said, "lost")).isPositive().isEqualTo(200_000 - number(said, "cameBack"));
        assertThat(said.out()).containsPattern("\"lack\": \"(no room|no descriptor)\",\\s+\"frames\": \\d+");
        assertThat(said.status()).isEqualTo(Errors.FAILED);
    }

    @Test
    void whatIsNotTooFastIsNotLost() {
        Cli echo = Cli.call("echo", "--count", "2000", "--json");
        assertThat(number(echo, "lost")).isZero();
        assertThat(echo.out()).contains("\"lostWhere\": []");
        assertThat(echo.status()).isZero();
    }

    @Test
    void fwdSaysWhatWasLostAndWhere() {
        Cli said = Cli.call("fwd", "--count", "100000", "--rate", FLOOD, "--json");
        assertThat(number(said, "sentToThePorts")).isEqualTo(100_000);
        assertThat(number(said, "lost")).isPositive().isEqualTo(100_000 - number(said, "cameOut"));
        assertThat(places(said)).isEqualTo(number(said, "lost"));
        assertThat(said.status()).isEqualTo(Errors.FAILED);
        Cli whole = Cli.call("fwd", "--count", "2000", "--json");
        assertThat(number(whole, "lost")).isZero();
        assertThat(whole.status()).isZero();
    }

    /** Frames of all places. */
    private static long places(Cli said) {
        return Pattern.compile("\"frames\": (\\d+)").matcher(said.out()).results()
                .mapToLong(found -> Long.parseLong(found.group(1))).sum();
    }

    @Test
    void pktgenOfAFileWaitsForRoomUnlessItIsToldNotTo() throws IOException {
        Path file = ServedLossesTest.file(folder, 20_000);
        Cli whole = Cli.call("pktgen", "--pcap", file.toString(), "--json");
        assertThat(number(whole, "packetsReceived")).isEqualTo(20_000);
        assertThat(whole.out()).contains("\"lost\": 0", "\"lostWhere\": []");
        assertThat(whole.status()).isZero();
        Cli wrong = Cli.call("pktgen", "--pcap", file.toString(), "--pace", "slow");
        assertThat(wrong.status()).isEqualTo(Errors.USAGE);
        assertThat(wrong.err()).contains("lossless, recorded");
    }

    /** Own frames on an own card: a busy machine is no reason for a loss. */
    @Test
    void pktgenWithoutARateWaitsForRoom() {
        Cli whole = Cli.call("pktgen", "--count", "50000", "--burst", "4096", "--json");
        assertThat(number(whole, "packetsReceived")).isEqualTo(50_000);
        assertThat(number(whole, "lost")).isZero();
        assertThat(whole.status()).isZero();
    }

    @Test
    void appSaysWhatWasLostAndWhere() {
        // A search takes several times as long as it takes to send; a pipe's forwarding may keep up with the sender.
        for (String[] run : new String[][] { { "log-monitor", "enso" }, { "l2-forward", "corundum" } }) {
            Cli said = Cli.call("app", run[0], "--card", run[1], "--count", "200000", "--rate", FLOOD, "--json");
            assertThat(number(said, "sentToThePort")).isEqualTo(200_000);
            assertThat(number(said, "lost")).as(said.out()).isPositive()
                    .isEqualTo(200_000 - number(said, run[0].equals("log-monitor") ? "packets" : "sentBack"));
            assertThat(said.out()).containsPattern("no room in its buffer|no descriptor");
            assertThat(said.status()).isEqualTo(Errors.FAILED);
        }
        for (String name : new String[] { "l2-forward", "copy", "telemetry" }) {
            Cli whole = Cli.call("app", name, "--count", "2000", "--json");
            assertThat(number(whole, "lost")).isZero();
            assertThat(number(whole, "sentBack")).as("what came is on its way back no more").isEqualTo(2000);
            assertThat(whole.status()).as(whole.out()).isZero();
        }
    }

    @Test
    void appCopyTakesTheFramesOfAFile() throws IOException {
        Path file = ServedLossesTest.file(folder, 300);
        Cli said = Cli.call("app", "copy", "--pcap", file.toString(), "--json");
        assertThat(number(said, "packets")).as(said.out()).isEqualTo(300);
        assertThat(number(said, "sentBack")).isEqualTo(300);
        assertThat(said.status()).isZero();
    }

    @Test
    void theSimulatedDeviceUnderTestLosesUnlessTheFileWaits() throws IOException {
        String file = ServedLossesTest.file(folder, 100).toString();
        Cli lossy = Cli.call("pktgen", "--enso", "--pcap", file, "--count", "20000", "--dut-rate", "10000000", "--pace",
                "recorded", "--json");
        assertThat(number(lossy, "lost")).isPositive().isEqualTo(20_000 - number(lossy, "packetsReceived"));
        assertThat(lossy.out()).contains("\"where\": \"device under test\"");
        assertThat(lossy.status()).isEqualTo(Errors.FAILED);
        Cli whole = Cli.call("pktgen", "--enso", "--pcap", file, "--count", "20000", "--dut-rate", "10000000",
                "--json");
        assertThat(number(whole, "packetsReceived")).as(whole.out()).isEqualTo(20_000);
        assertThat(whole.status()).isZero();
    }
}
