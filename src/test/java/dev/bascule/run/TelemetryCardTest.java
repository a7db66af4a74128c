package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.app.Probe;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.json.JsonReader;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** DPDK's telemetry of a card of several ports, as DPDK's manual has it; its own tools look in TelemetryToolsTest. */
@Timeout(60)
class TelemetryCardTest {
    private static final int PORTS = 4;
    private static final int MOST_BYTES = 65_536;

    private final String prefix = "bascule-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
    private final Path folder = TelemetryCard.folder(prefix);
    private final NicAdapter card = TelemetryCard.open(Nics.open(LoopbackDevice.open(new CorundumModel(
            CorundumConfig.builder().ports(PORTS).build(), List.of(WireEnd.OPEN, WireEnd.OPEN, WireEnd.OPEN,
                    new TrafficWire(Probe.frame(64), 1, 1, null)),
            true))), prefix, "bascule 1.2.3");
    private final List<UnixSocket> open = new ArrayList<>();

    @AfterEach
    void end() throws Exception {
        open.forEach(UnixSocket::close);
        card.close();
        Files.deleteIfExists(folder);
    }

    private UnixSocket connect() {
        UnixSocket socket = UnixSocket.connect(folder.resolve("dpdk_telemetry.v2"), UnixSocket.Type.MESSAGES);
        open.add(socket);
        return socket;
    }

    private static Map<?, ?> receive(UnixSocket socket) throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(MOST_BYTES);
            int bytes = socket.receive(buffer, 0, 20_000).bytes();
            assertThat(bytes).isPositive();
            return (Map<?, ?>) JsonReader.parse(
                    new String(buffer.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8));
        }
    }

    private static @Nullable Object ask(UnixSocket socket, String command) throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            socket.send(arena.allocateFrom(ValueLayout.JAVA_BYTE, command.getBytes(StandardCharsets.UTF_8)));
        }
        Map<?, ?> answer = receive(socket);
        assertThat(answer).hasSize(1);
        return answer.values().iterator().next();
    }

    @Test
    void aClientIsGreetedAsByDpdk() throws Exception {
        assertThat(receive(connect()).toString())
                .isEqualTo("{version=bascule 1.2.3, pid=" + ProcessHandle.current().pid() + ", max_output_len=65536}");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder))).isEqualTo("rwx------");
    }

    @Test
    void portsAreThereOnceTheyAreOpenAndTheLastIsTheLast() throws Exception {
        UnixSocket socket = connect();
        receive(socket);
        assertThat(ask(socket, "/ethdev/list")).isEqualTo(List.of());
        for (int port = 0; port < PORTS; port++) {
            // the design schedules what two ports send
            Nic nic = card.openPort(port, NicOptions.DEFAULTS.withQueues(2, port < 2 ? 2 : 0));
            nic.start();
        }
        assertThat(String.valueOf(ask(socket, "/ethdev/list"))).isEqualTo("[0, 1, 2, 3]");
        assertThat(String.valueOf(ask(socket, "/ethdev/info,3"))).contains("port 3").contains("nb_rx_queues=2");
        assertThat(String.valueOf(ask(socket, "/ethdev/stats,3"))).contains("ipackets=0").contains("q_ipackets=[0, 0]");
        assertThat(String.valueOf(ask(socket, "/ethdev/link_status,3"))).isEqualTo("{status=DOWN}");
        card.check();
        assertThat(String.valueOf(ask(socket, "/ethdev/link_status,3"))).contains("status=UP");
        assertThat(String.valueOf(ask(socket, "/ethdev/link_status,2"))).isEqualTo("{status=DOWN}");
        for (String wrong : List.of("/ethdev/stats,4", "/ethdev/stats,-1", "/ethdev/stats,", "/ethdev/stats",
                "/ethdev/stats,99999999999999999999", "/nothing", "x", "/help,/nothing", "\"", "/ethdev/list\u0000")) {
            assertThat(ask(socket, wrong)).as(wrong).isNull();
        }
        assertThat(String.valueOf(ask(socket, "/help,/ethdev/stats"))).contains("int port_id");
    }

    @Test
    void aCommandThatIsTooLongEndsItsClientOnly() throws Exception {
        UnixSocket long1 = connect();
        receive(long1);
        try (Arena arena = Arena.ofConfined()) {
            long1.send(arena.allocate(2048).fill((byte) '/'));
            assertThat(long1.receive(arena.allocate(64), 0, 20_000).bytes()).isZero();
        }
        UnixSocket other = connect();
        receive(other);
        assertThat(ask(other, "/info")).isNotNull();
    }

    @Test
    void theSocketGoesWithTheCard() {
        card.close();
        assertThat(folder.resolve("dpdk_telemetry.v2")).doesNotExist();
    }
}
