package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.Cables;
import dev.bascule.model.CountedWire;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.enso.EnsoCard;
import dev.bascule.model.virtio.VirtioCard;
import dev.bascule.vfiouser.VfioUserServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands on cards that a user names: any driver's, several queues, with or without a link. */
@Timeout(240)
class CardCommandsTest {
    @TempDir
    private Path folder;

    private Path socket() {
        return folder.resolve("card");
    }

    @ParameterizedTest
    @CsvSource({ "fwd, 8", "echo, 8", "pktgen, 8", "fwd, 2" })
    void queuesShareTheFlowsAndEachSaysWhatItDid(String command, int queues) {
        // no more than the rings of one queue hold, so that none is lost however busy the machine is
        Cli run = Cli.call(command, "--count", "800", "--queues", Integer.toString(queues), "--json");
        assertThat(run.status()).as(run.err() + run.out()).isZero();
        assertThat(run.out()).contains("\"lost\": 0", "\"queue\": " + (queues - 1));
        long sum = 0;
        String[] parts = run.out().split("\"queue\": ");
        assertThat(parts).hasSize(queues + 1);
        for (int i = 1; i < parts.length; i++) {
            String packets = parts[i].split("\"packets\": ")[1].split("[,\n]")[0];
            assertThat(Long.parseLong(packets)).as("queue %s", parts[i]).isPositive();
            sum += Long.parseLong(packets);
        }
        assertThat(sum).as(run.out()).isEqualTo(800);
    }

    @Test
    void threadsRunOnTheCoresNamedAndOthersAreRefused() {
        Cli run = Cli.call("echo", "--count", "400", "--queues", "2", "--cores", "0");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).containsPattern("queue 1 +cores 0, packets [1-9]");
        Cli none = Cli.call("echo", "--cores", "8000");
        assertThat(none.status()).isEqualTo(1);
        assertThat(none.err()).contains("may not run on core 8000");
        assertThat(Cli.call("echo", "--cores", "1-").err()).contains("as 0-3,8");
        assertThat(Cli.call("echo", "--queues", "0").err()).contains("1 to 1024");
    }

    @ParameterizedTest
    @ValueSource(strings = { "pktgen", "app", "fwd", "capture" })
    void anEnsoCardIsUsedByItsSocketLikeAnyOther(String command) {
        try (VfioUserServer server = VfioUserServer.serve(new EnsoCard(new CountedWire(Cables.loopback())), socket(),
                event -> {})) {
            onLoop(command, server.path().toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "pktgen", "app", "fwd", "capture" })
    void soIsAVirtioCard(String command) {
        try (VfioUserServer server = VfioUserServer.serve(new VirtioCard(new CountedWire(Cables.loopback())), socket(),
                event -> {})) {
            onLoop(command, server.path().toString());
        }
    }

    private void onLoop(String command, String device) {
        Cli run = switch (command) {
            case "pktgen" -> Cli.call("pktgen", "--device", device, "--mix", "router", "--count", "200", "--rate",
                    "20000", "--json");
            case "capture" -> Cli.call("capture", "--device", device, "-w", folder.resolve("out.pcap").toString(),
                    "--duration", "200ms", "--json");
            case "fwd" -> Cli.call("fwd", "--device", device, "--duration", "200ms", "--json");
            default -> Cli.call("app", "telemetry", "--device", device, "--duration", "200ms", "--json");
        };
        assertThat(run.status()).as(run.err() + run.out()).isZero();
        assertThat(run.out()).contains("simulated: served at " + device);
        if (command.equals("pktgen")) {
            assertThat(run.out()).contains("\"packetsReceived\": 200", "\"lost\": 0");
        }
    }

    @Test
    void aCardWithFewerQueuesSaysSo() {
        try (VfioUserServer server = VfioUserServer.serve(new VirtioCard(new CountedWire(Cables.loopback())), socket(),
                event -> {})) {
            Cli run = Cli.call("echo", "--device", server.path().toString(), "--queues", "2");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).contains("queue");
        }
    }

    @Test
    void aPortWithoutALinkIsWaitedForAndThenTheReasonsAreSaid() {
        CorundumModel model = new CorundumModel(CorundumConfig.builder().build(),
                List.of(WireEnd.OPEN, Cables.loopback()), true);
        try (VfioUserServer server = VfioUserServer.serve(model, socket(), event -> {})) {
            String device = server.path().toString();
            Cli run = Cli.call("echo", "--device", device, "--link-wait", "100ms", "--duration", "10ms");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).contains("port 0", "none after 100ms", "transceiver", "FEC", "--link-wait 0s");
            assertThat(Cli.call("echo", "--device", device, "--link-wait", "0s", "--duration", "10ms").status())
                    .isZero();
            assertThat(Cli.call("echo", "--device", device, "--port", "1", "--duration", "10ms").status()).isZero();
        }
    }

    @Test
    void aLinkThatComesAWhileAfterTheResetIsWaitedFor() {
        CorundumModel model = new CorundumModel(CorundumConfig.builder().linkDelayNanos(300_000_000L).build(),
                List.of(Cables.loopback(), WireEnd.OPEN), true);
        try (VfioUserServer server = VfioUserServer.serve(model, socket(), event -> {})) {
            Cli run = Cli.call("pktgen", "--device", server.path().toString(), "--count", "100", "--rate", "10000");
            assertThat(run.status()).as(run.err() + run.out()).isZero();
            assertThat(run.out()).containsPattern("packets received +100");
        }
    }

    /** Both defaults together: {@code serve} crosses its ports, {@code pktgen} has one open. */
    @Test
    void whereNoFrameComesBackTheCauseAndItsCureAreSaid() {
        CorundumModel model = new CorundumModel(CorundumConfig.builder().build(), List.copyOf(Cables.cross()), true);
        try (VfioUserServer server = VfioUserServer.serve(model, socket(), event -> {})) {
            String device = server.path().toString();
            Cli run = Cli.call("pktgen", "--device", device, "--count", "50", "--rate", "10000");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.out()).containsPattern("packets received +0").containsPattern("lost +50");
            assertThat(run.err()).startsWith("bascule: no frame came back to ").contains("--wire loop", "bascule echo")
                    .hasLineCount(1);
        }
    }

    /** What a card behind VFIO does: each opening resets it, which clears the board. */
    @Test
    void theBoardOfAnEnsoIsSetByItsToolOnceTheCardIsOpen() throws Exception {
        Path console = folder.resolve("console");
        EnsoCard card = new EnsoCard(new CountedWire(Cables.loopback()));
        BoardConsole board = new BoardConsole(console, card.device());
        try (VfioUserServer server = VfioUserServer.serve(card, socket(), event -> {})) {
            Thread looks = Thread.ofPlatform().daemon().start(() -> {
                while (!Thread.interrupted()) {
                    try {
                        board.look();
                        Thread.sleep(5);
                    } catch (Exception e) {
                        return;
                    }
                }
            });
            String device = server.path().toString();
            Cli without = Cli.call("echo", "--device", device, "--duration", "10ms");
            assertThat(without.status()).isEqualTo(1);
            assertThat(without.err()).contains("enso.boardTool", "--hold").doesNotContain("open the device again");
            Path config = Files.writeString(folder.resolve("mine.yaml"), """
                    kind: pci
                    device: {ids: "1172:0000", driver: enso, seen: nowhere}
                    enso:
                      pipeRingFlits: 1024
                      notificationRingEntries: 2048
                      boardTool: [sh, -c, 'echo pipe-ring=$BASCULE_ENSO_PIPE_RING \
                    notification-ring=$BASCULE_ENSO_NOTIFICATION_RING inflight=$BASCULE_ENSO_INFLIGHT > %1$s; \
                    until grep -q ^set %1$s; do sleep 0.05; done']
                    """.formatted(console));
            for (int life = 0; life < 2; life++) {
                Cli run = Cli.call("pktgen", "--device", device, "--config", config.toString(), "--count", "200",
                        "--rate", "20000", "--json");
                assertThat(run.status()).as(run.err() + run.out()).isZero();
                assertThat(run.out()).contains("\"packetsReceived\": 200");
            }
            looks.interrupt();
        }
    }

    @Test
    void aBoardToolThatFailsIsQuoted() throws Exception {
        Path config = Files.writeString(folder.resolve("mine.yaml"), """
                kind: pci
                device: {ids: "1172:0000", driver: enso, seen: nowhere}
                enso: {boardTool: [sh, -c, "echo no JTAG cable >&2; exit 3"]}
                """);
        try (VfioUserServer server = VfioUserServer.serve(new EnsoCard(new CountedWire(Cables.loopback())), socket(),
                event -> {})) {
            Cli run = Cli.call("echo", "--device", server.path().toString(), "--config", config.toString());
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).contains("status 3", "no JTAG cable", "enso.boardTool");
        }
    }
}
