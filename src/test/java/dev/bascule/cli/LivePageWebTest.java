package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.house.Chromium;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The live page of a run as a browser shows it, and its metrics as Prometheus reads them. */
@Tag("web")
class LivePageWebTest {
    private static final Pattern ADDRESS = Pattern.compile("live page: (http://\\S+/)");
    private static final Path UNPACKED = Path.of("target/prometheus/usr/bin");
    private static final long LOOK_MILLIS = 100;

    @TempDir
    private Path temporary;
    private Process run;
    private String address;

    /** Long enough to look at; the test ends it. The agent is killed once it has worked for a while. */
    @BeforeEach
    void start() throws Exception {
        run = new ProcessBuilder(Cli.command(Cli.ONE_CARRIER, "run", "--transport", "wave,on-host", "--workload",
                "spin", "--capacity", "2000", "--load", "0.5", "--duration", "20s", "--quick", "--cpus", "2",
                "--kill-agent-at", "8s", "--report", "none", "--web", "0")).redirectOutput(
                        temporary.resolve("out").toFile())
                .redirectError(temporary.resolve("err").toFile()).start();
        Matcher said = ADDRESS.matcher(said());
        while (!said.find()) {
            checkRun();
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            said = ADDRESS.matcher(said());
        }
        address = said.group(1);
    }

    @AfterEach
    void end() throws InterruptedException {
        run.descendants().forEach(ProcessHandle::destroyForcibly);
        run.destroyForcibly().waitFor();
    }

    private String said() {
        try {
            return Files.readString(temporary.resolve("err"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void checkRun() {
        if (!run.isAlive()) {
            throw new AssertionError("the run ended with status " + run.exitValue() + ": " + said());
        }
    }

    private static int number(String shown) {
        return Integer.parseInt(shown.replace(",", ""));
    }

    @Test
    void aBrowserShowsFiguresThatMoveAndTheKillOfTheAgent() throws Exception {
        assumeTrue(Chromium.isInstalled("chromium"), "no chromium: apt-get install chromium");
        String served = "document.querySelector('[data-transport=wave] td:nth-child(2)')?.textContent ?? ''";
        try (Chromium page = Chromium.open(temporary, address)) {
            page.view(1300, true);
            page.await("at('agent').textContent === 'agent decides'", this::checkRun);
            assertThat(page.value("at('name').textContent")).isEqualTo("wave");
            page.await("/[1-9]/.test(at('served').textContent) && /[1-9]/.test(at('byAgent').textContent)",
                    this::checkRun);
            int before = number(page.value(served));
            page.await("Number((" + served + ").replaceAll(',', '')) > " + before, this::checkRun);
            page.await("last.hosts[0].runs.every(cpu => cpu.runs.length > 0)", this::checkRun);
            page.await("/killed by signal 9/.test(at('incidents').textContent)", this::checkRun);
            page.await("Number(at('fences').textContent) > 0", this::checkRun);
            page.await("at('agent').textContent === 'agent decides'", this::checkRun); // its successor
            assertThat(page.value("getComputedStyle(document.body).backgroundColor")).as("dark, as asked for")
                    .isEqualTo("rgb(18, 22, 28)");
            page.screenshot(temporary.resolve("page.png"));
            keep("page.png");
            page.view(390, true);
            assertThat(page.value("document.documentElement.scrollWidth")).as("no wider than a telephone")
                    .isEqualTo("390");
            page.screenshot(temporary.resolve("narrow.png"));
            keep("narrow.png");
            page.view(1300, true);
            page.await("document.querySelector('[data-transport=on-host]') !== null", this::checkRun);
            assertThat(page.value("document.querySelectorAll('#transports tr').length")).isEqualTo("2");
            assertThat(page.value("at('name').textContent")).isEqualTo("on-host");
        }
    }

    /** A failed or doubtful page can be looked at. */
    private void keep(String file) throws IOException {
        Path kept = Files.createDirectories(Path.of("target/log")).resolve("live-" + file);
        Files.copy(temporary.resolve(file), kept, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private String get(String path) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(address + path)).build(),
                    HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    private void awaitMetrics() throws IOException, InterruptedException {
        while (!get("metrics").contains("bascule_requests_served_total")) {
            checkRun();
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    private static String program(String name) throws IOException, InterruptedException {
        boolean unpacked = Files.isExecutable(UNPACKED.resolve(name));
        assumeTrue(unpacked || Chromium.isInstalled(name), "no " + name + ": apt-get install prometheus");
        return unpacked ? UNPACKED.resolve(name).toString() : name;
    }

    @Test
    void promtoolFindsNothingToSayAboutTheMetrics() throws Exception {
        String promtool = program("promtool");
        awaitMetrics();
        Path metrics = temporary.resolve("metrics");
        Files.writeString(metrics, get("metrics"));
        Process check = new ProcessBuilder(promtool, "check", "metrics").redirectInput(metrics.toFile())
                .redirectErrorStream(true).start();
        String says = new String(check.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(check.waitFor()).as(says).isZero();
        assertThat(says).isEmpty();
    }

    /** It asks for OpenMetrics. */
    @Test
    void prometheusScrapesTheMetrics() throws Exception {
        String prometheus = program("prometheus");
        awaitMetrics();
        String target = URI.create(address).getAuthority();
        Path config = temporary.resolve("prometheus.yml");
        Files.writeString(config, "global: { scrape_interval: 500ms, scrape_timeout: 500ms }\n"
                + "scrape_configs: [ { job_name: bascule, static_configs: [ { targets: [ '" + target + "' ] } ] } ]\n");
        int port;
        try (java.net.ServerSocket free = new java.net.ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Process server = new ProcessBuilder(prometheus, "--config.file=" + config, "--storage.tsdb.path="
                + temporary.resolve("data"), "--web.listen-address=127.0.0.1:" + port).redirectErrorStream(true)
                .redirectOutput(temporary.resolve("prometheus.log").toFile()).start();
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI query = URI.create("http://127.0.0.1:" + port + "/api/v1/query?query=bascule_requests_served_total");
            String answer = "";
            while (!answer.contains("\"transport\":\"wave\"")) {
                checkRun();
                assertThat(server.isAlive()).as(Files.readString(temporary.resolve("prometheus.log"))).isTrue();
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                try {
                    answer = client.send(HttpRequest.newBuilder(query).build(), HttpResponse.BodyHandlers.ofString())
                            .body();
                } catch (java.net.ConnectException e) {
                    continue; // not up yet
                }
            }
            assertThat(answer).contains("\"status\":\"success\"");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }
}
