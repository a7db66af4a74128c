package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Signals;
import dev.bascule.host.Counter;
import dev.bascule.host.CounterPage;
import dev.bascule.junit.ByTurns;
import dev.bascule.run.Errors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --web} as a user meets it: without a browser, which has a lane of its own. */
@Tag("process")
class LiveWebProcessTest {
    private static final Pattern ADDRESS = Pattern.compile("live page: (http://\\S+)");
    private static final long LOOK_MILLIS = 50;
    private static final int DESCRIPTORS = 256;
    private static final int HALF_REQUESTS = 1000;
    private static final long PATIENCE_SECONDS = 120;

    @TempDir
    private Path place;

    private static String await(Process process, Path err) throws IOException, InterruptedException {
        Matcher said = ADDRESS.matcher("");
        while (!said.find()) {
            assertThat(process.isAlive()).as(Files.readString(err)).isTrue();
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            said = ADDRESS.matcher(Files.readString(err));
        }
        return said.group(1);
    }

    private static String get(String address) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(address)).build(),
                    HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    @Test
    void topServesAHostsCountersFromAnotherProcessAfterItsEndTooAndEndsWithCtrlC() throws Exception {
        Path host = Files.createDirectory(place.resolve("bascule-1"));
        Path err = place.resolve("err");
        Process top;
        String metrics;
        try (CounterPage page = CounterPage.create(host, "swap")) {
            page.set(Counter.FENCES, 3);
            top = new ProcessBuilder(Cli.command(List.of(), "top", "--web", "0", "--attach", host.toString()))
                    .redirectError(err.toFile()).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            metrics = await(top, err) + "metrics";
            while (!get(metrics).contains("bascule_agent_fences_total{transport=\"swap\"} 3")) {
                assertThat(top.isAlive()).as(Files.readString(err)).isTrue();
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        }
        Files.delete(host.resolve(CounterPage.FILE));
        try {
            assertThat(get(metrics)).contains("bascule_agent_fences_total{transport=\"swap\"} 3");
            Signals.send(top.pid(), 2);
            assertThat(top.waitFor()).isEqualTo(Errors.INTERRUPTED);
        } finally {
            top.destroyForcibly();
        }
    }

    /** The run has descriptors for itself and not for the strangers, who have no token. */
    @ByTurns(of = 3)
    @ParameterizedTest(name = "{0} strangers at once")
    @ValueSource(ints = { 1, 2, 4 })
    void aRunUnderAttackEndsWithItsStatus(int strangers) throws Exception {
        Path err = place.resolve("err");
        Path out = place.resolve("out");
        List<String> words = new ArrayList<>(List.of("sh", "-c", "ulimit -n " + DESCRIPTORS + "; exec \"$@\"", "sh"));
        words.addAll(Cli.command(Cli.ONE_CARRIER, "run", "--quick", "--report", "none", "--transport", "wave",
                "--capacity", "500", "--duration", "2s", "--fallback-limit", "1", "--json", "--web", "0.0.0.0:0"));
        Process run = new ProcessBuilder(words).redirectInput(Path.of("/dev/null").toFile())
                .redirectError(err.toFile()).redirectOutput(out.toFile()).start();
        Queue<Socket> held = new ConcurrentLinkedQueue<>();
        try {
            int port = URI.create(await(run, err)).getPort();
            try (ExecutorService each = Executors.newFixedThreadPool(strangers)) {
                for (int stranger = 0; stranger < strangers; stranger++) {
                    each.execute(() -> attack(run, port, HALF_REQUESTS / strangers, held));
                }
            }
            assertThat(held).as("half requests during the run").hasSizeGreaterThan(DESCRIPTORS);
            assertThat(run.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as(Files.readString(err)).isTrue();
        } finally {
            run.descendants().forEach(ProcessHandle::destroyForcibly);
            run.destroyForcibly();
            for (Socket one : held) {
                one.close();
            }
        }
        assertThat(run.exitValue()).as(Files.readString(err) + Files.readString(out)).isZero();
        RunJson json = new RunJson(Files.readString(out));
        assertThat(json.sum("served")).isPositive();
        assertThat(json.sum("lost")).isZero();
    }

    private static void attack(Process run, int port, int times, Queue<Socket> held) {
        for (int n = 0; n < times && run.isAlive(); n++) {
            try {
                Socket one = new Socket(InetAddress.getLoopbackAddress(), port);
                held.add(one);
                one.getOutputStream().write("GET / HT".substring(0, n % 9).getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                continue; // shown the door already
            }
        }
    }

    @Test
    void aPortInUseEndsTheRunBeforeItBegins() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Cli run = Cli.run("run", "--quick", "--report", "none", "--web", "127.0.0.1:" + taken.getLocalPort());
            assertThat(run.status()).isEqualTo(Errors.FAILED);
            assertThat(run.err()).startsWith("bascule: serve the live page at 127.0.0.1:" + taken.getLocalPort()
                    + ": Address already in use").doesNotContain("warming up");
        }
    }

    @Test
    void aDirectoryWithoutAHostIsSaid() throws Exception {
        Cli top = Cli.run("top", "--web", "0", "--attach", place.toString());
        assertThat(top.status()).isEqualTo(Errors.FAILED);
        assertThat(top.err()).contains("bascule: open counter page").contains("--attach");
    }

    @Test
    void whatIsNoAddressIsRefusedWithTheForm() {
        assertThat(Cli.call("top", "--web", "here").err()).startsWith("bascule: --web 'here': write a port");
        assertThat(Cli.call("top", "--web", "0", "--once").err()).startsWith("bascule: --web shows a page");
    }
}
