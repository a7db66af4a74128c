package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.json.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jspecify.annotations.Nullable;

/**
 * DPDK's own tools, of Debian and unchanged, look at the ports of running commands: {@code dpdk-telemetry.py} and the exporter
 * for Prometheus, both of DPDK 25.11.
 */
@Tag("dpdk")
class TelemetryToolsTest {
    private static final Path SCRIPT = ShellBlock.ROOT.resolve("scripts/dpdk");
    private static final String SOCKET = "dpdk/rte/dpdk_telemetry.v2";

    @TempDir
    private Path folder = Path.of("");

    private Path tools = Path.of("");

    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void find() throws Exception {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(":")).anyMatch(at -> Files.isExecutable(Path.of(at, "python3"))),
                "DPDK's tools are in Python: apt-get install python3");
        String root = run(List.of("bash", SCRIPT.toString(), "25.11", "--set-up"), "").strip();
        tools = Path.of(root.lines().reduce("", (first, second) -> second));
        assumeTrue(Files.isRegularFile(tools.resolve("usr/bin/dpdk-telemetry.py")), root);
    }

    @AfterEach
    void end() throws Exception {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    private Process start(List<String> words) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words).redirectError(folder.resolve("said.txt").toFile());
        builder.environment().put("RUNTIME_DIRECTORY", folder.toString());
        Process process = builder.redirectOutput(folder.resolve("out.txt").toFile()).start();
        started.add(process);
        return process;
    }

    private String run(List<String> words, String input) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("RUNTIME_DIRECTORY", folder.toString());
        Process process = builder.start();
        started.add(process);
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        try (InputStream out = process.getInputStream()) {
            return new String(out.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Process bascule(String socket, String... words) throws Exception {
        Process process = start(Cli.command(List.of(), words));
        while (!Files.exists(folder.resolve(socket))) {
            assertThat(process.waitFor(20, TimeUnit.MILLISECONDS))
                    .as(() -> "ended: " + text(folder.resolve("said.txt"))).isFalse();
        }
        return process;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Answers of the tool by command. */
    private Map<String, @Nullable Object> ask(String... commands) throws Exception {
        String said = run(List.of("python3", tools.resolve("usr/bin/dpdk-telemetry.py").toString()),
                String.join("\n", commands) + "\n");
        Map<String, @Nullable Object> answers = new TreeMap<>();
        for (String line : said.lines().filter(one -> one.startsWith("{")).toList()) {
            answers.putAll(map(JsonReader.parse(line)));
        }
        assertThat(answers).as(said).isNotEmpty();
        return answers;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(@Nullable Object value) {
        assertThat(value).isInstanceOf(Map.class);
        return (Map<String, Object>) value;
    }

    @Test
    void theConsoleSeesAllPortsOfACardAndTheirCounters() throws Exception {
        Process fwd = bascule(SOCKET, "fwd", "--rate", "2000", "--duration", "2m", "--telemetry", "rte");
        Map<String, @Nullable Object> answers = ask("/ethdev/list", "/ethdev/info,1", "/ethdev/stats,1",
                "/ethdev/xstats,1", "/eal/lcore/list");
        assertThat(answers.get("/ethdev/list")).hasToString("[0, 1]");
        assertThat(map(answers.get("/ethdev/info"))).containsEntry("name", "corundum (loopback, 1234:1001) port 1")
                .containsKeys("mtu", "nb_rx_queues");
        long before = packets(answers);
        long after = before;
        while (after <= before) {
            after = packets(ask("/ethdev/stats,1"));
        }
        assertThat(map(answers.get("/ethdev/xstats"))).containsKeys("tx_packets", "device_dma_reads");
        while (!map(ask("/ethdev/link_status,1").get("/ethdev/link_status")).containsValue("UP")) {
            assertThat(fwd.isAlive()).isTrue();
        }
        assertThat(ask("/ethdev/stats,2", "/nothing", "/ethdev/list,/").entrySet()).filteredOn(
                answer -> answer.getKey().equals("/ethdev/stats") || answer.getKey().equals("/nothing"))
                .allSatisfy(answer -> assertThat(answer.getValue()).isNull());
    }

    private static long packets(Map<String, @Nullable Object> answers) {
        return ((Number) map(answers.get("/ethdev/stats")).get("opackets")).longValue();
    }

    @Test
    void theExporterServesPrometheusTheCounters() throws Exception {
        bascule(SOCKET, "echo", "--rate", "2000", "--duration", "2m", "--telemetry", "rte");
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Process exporter = start(List.of("python3", tools.resolve("usr/bin/dpdk-telemetry-exporter.py").toString(),
                "-o",
                "openmetrics://127.0.0.1:" + port, "-p", tools.resolve("usr/share/dpdk/telemetry-endpoints").toString(),
                "-s", folder.resolve(SOCKET).toString()));
        String page = "";
        try (HttpClient client = HttpClient.newHttpClient()) {
            while (!page.matches("(?s).*dpdk_counters_tx_packets\\{port=\"corundum [^\"]*\"} [1-9].*")) {
                assertThat(exporter.waitFor(50, TimeUnit.MILLISECONDS)).as(page).isFalse();
                page = get(client, port);
            }
        }
        assertThat(page).contains("dpdk_counters_rx_missed").doesNotContain("Traceback");
        assertThat(text(folder.resolve("out.txt"))).doesNotContain("failed");
    }

    private static String get(HttpClient client, int port) throws InterruptedException {
        try {
            return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build(),
                    HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "it does not listen yet: " + e;
        }
    }

    @Test
    void ofSeveralCommandsEachHasAnInstanceAndNothingStaysBehind() throws Exception {
        Process first = bascule(SOCKET, "echo", "--rate", "100", "--duration", "2m", "--telemetry", "rte");
        Process second = bascule(SOCKET + ":1", "fwd", "--rate", "100", "--duration", "2m", "--telemetry", "rte");
        String said = run(List.of("python3", tools.resolve("usr/bin/dpdk-telemetry.py").toString(), "-i", "1"),
                "/ethdev/list\n");
        assertThat(said).contains("[0, 1]");
        first.destroy();
        first.waitFor();
        second.destroy();
        second.waitFor();
        try (Stream<Path> left = Files.list(folder.resolve("dpdk/rte"))) {
            assertThat(left.filter(file -> file.getFileName().toString().startsWith("dpdk_telemetry"))).isEmpty();
        }
    }

    @Test
    void aFolderOfAnotherUserIsRefused() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can make a folder another user's");
        Path other = Files.createDirectories(folder.resolve("dpdk/theirs"));
        Files.setAttribute(other, "unix:uid", 12345);
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rwxrwxrwx"));
        Process refused = start(Cli.command(List.of(), "fwd", "--count", "1", "--telemetry", "theirs"));
        assertThat(refused.waitFor()).isEqualTo(1);
        assertThat(text(folder.resolve("said.txt"))).contains("the folder belongs to user 12345")
                .contains("--telemetry PREFIX");
    }

    @Test
    void aSocketThatSomebodyHasIsLeftToHim() throws Exception {
        Path taken = folder.resolve(SOCKET);
        Files.createDirectories(taken.getParent());
        try (UnixListener _ = UnixListener.listen(taken, UnixSocket.Type.MESSAGES)) {
            bascule(SOCKET + ":1", "echo", "--rate", "100", "--duration", "2m", "--telemetry", "rte");
            assertThat(taken).exists();
        }
    }
}
