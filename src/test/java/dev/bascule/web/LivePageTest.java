package dev.bascule.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.host.Counter;
import dev.bascule.host.CounterPage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client gets, over a socket: an HTTP client of the JDK would not send another host's name. */
class LivePageTest {
    private static final String TOKEN = "0123456789abcdef";
    private static final int PATIENCE_MILLIS = 30_000;

    @TempDir
    private Path directory = Path.of("");
    private final Hosts hosts = new Hosts();
    private final List<LivePage> pages = new ArrayList<>();

    @AfterEach
    void close() {
        pages.forEach(LivePage::close);
        hosts.close();
    }

    private int port(String address, String token) {
        LivePage page = LivePage.open(WebAddress.parse(address), hosts, token);
        pages.add(page);
        String shown = page.address();
        return Integer.parseInt(shown.replaceAll(".*:(\\d+)/.*", "$1"));
    }

    private static Socket send(int port, String method, String path, String... headers) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        OutputStream out = socket.getOutputStream();
        out.write((method + " " + path + " HTTP/1.1\r\n" + String.join("\r\n", headers)
                + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
        return socket;
    }

    private static String ask(int port, String path, String... headers) throws IOException {
        try (Socket socket = send(port, "GET", path, headers)) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void thePageAndWhatItNeedsComeFromHereOnly() throws IOException {
        int port = port("0", null);
        String page = ask(port, "/", "Host: localhost:" + port);
        assertThat(page).startsWith("HTTP/1.1 200").containsIgnoringCase("Content-Security-Policy: default-src 'none'")
                .contains("<title>Bascule live</title>").doesNotContain("unsafe-inline");
        String body = page.substring(page.indexOf("\r\n\r\n"));
        assertThat(Pattern.compile("(?:src|href)=\"(?:[a-z]+:)?//").matcher(body).find()).isFalse();
        for (String file : List.of("/live.js", "/live.css")) {
            assertThat(ask(port, file, "Host: 127.0.0.1:" + port)).startsWith("HTTP/1.1 200").doesNotContain("http:");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "/live.html", "/../live.js", "/etc/passwd", "/events/", "/%2e%2e/counters" })
    void otherPathsAreNotThere(String path) throws IOException {
        int port = port("0", null);
        assertThat(ask(port, path, "Host: localhost")).startsWith("HTTP/1.1 404");
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "GET / HT", "GET / HTTP/1.1\r\nHost: loc", "GET / HTTP/1.1\r\nHost: localhost\r\n" })
    void aThousandHalfRequestsTakeFewThreadsAndFilesAndThePageAnswersAgain(String half) throws Exception {
        int port = port("0.0.0.0:0", TOKEN);
        List<Socket> held = new ArrayList<>();
        try {
            for (int n = 0; n < 1000; n++) {
                Socket one = new Socket(InetAddress.getLoopbackAddress(), port);
                held.add(one);
                try {
                    one.getOutputStream().write(half.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    continue; // shown the door already
                }
            }
            assertThat(Thread.getAllStackTraces().keySet().stream().filter(one -> one.getName().startsWith("web-")))
                    .hasSizeLessThan(64);
            await(() -> openFiles() < held.size() + 500, "files of this process, of which 1,000 are the stranger's");
            await(() -> isAnswered(port), "an answer while the stranger holds on");
        } finally {
            for (Socket one : held) {
                one.close();
            }
        }
    }

    /** The page's limit is 5 s, and nobody else needs the place. */
    @Test
    void halfARequestIsGivenUpThoughThereIsRoom() throws IOException {
        int port = port("0", null);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write("GET / HT".getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read()).isNegative();
        }
    }

    @Test
    void sixteenMayWatchAndTheNextIsToldSoUntilOneGoes() throws IOException {
        int port = port("0", null);
        List<Socket> watching = new ArrayList<>();
        try {
            for (int n = 0; n < 16; n++) {
                Socket one = send(port, "GET", "/events", "Host: localhost");
                watching.add(one);
                await(new BufferedReader(new InputStreamReader(one.getInputStream(), StandardCharsets.UTF_8)),
                        "data: ");
            }
            assertThat(statusOfWatcher(port)).isEqualTo("HTTP/1.1 503");
            assertThat(ask(port, "/metrics", "Host: localhost")).startsWith("HTTP/1.1 200");
            watching.removeLast().close();
            await(() -> statusOfWatcher(port).equals("HTTP/1.1 200"), "a place for one more");
        } finally {
            for (Socket one : watching) {
                one.close();
            }
        }
    }

    /** Status of one who wants to watch: what follows has no end. */
    private static String statusOfWatcher(int port) {
        try (Socket socket = send(port, "GET", "/events", "Host: localhost")) {
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** All that is sent is read: a reset would take the answer away. */
    @ParameterizedTest
    @CsvSource({ "16000,200", "17000,431" })
    void aRequestHasSixteenKibibytesAtMost(int bytes, int status) throws IOException {
        int port = port("0", null);
        String begin = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ";
        String request = begin + "x".repeat(bytes - begin.length()) + (status == 200 ? "\r\n\r\n" : "");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 " + status);
        }
    }

    private static boolean isAnswered(int port) {
        try {
            return ask(port, "/metrics", "Host: x", "Authorization: Bearer " + TOKEN).startsWith("HTTP/1.1 200");
        } catch (IOException e) {
            return false;
        }
    }

    private static long openFiles() {
        return Objects.requireNonNull(Path.of("/proc/self/fd").toFile().list()).length;
    }

    private static void await(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as(what).isNegative();
            LockSupport.parkNanos(10_000_000);
        }
    }

    @Test
    void onlyReadingIsAllowed() throws IOException {
        int port = port("0", null);
        try (Socket socket = send(port, "POST", "/", "Host: localhost", "Content-Length: 0")) {
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 405").containsIgnoringCase("Allow: GET");
        }
    }

    @Test
    void aNameFromElsewhereThatLeadsHereIsRefused() throws IOException {
        int port = port("0", null);
        assertThat(ask(port, "/events", "Host: evil.example:" + port)).startsWith("HTTP/1.1 403")
                .doesNotContain("data:");
        assertThat(ask(port, "/metrics", "Host: localhost.evil.example")).startsWith("HTTP/1.1 403");
    }

    @Test
    void elsewhereThanOnTheLoopbackAddressATokenIsNeeded() throws IOException {
        int port = port("0.0.0.0:0", TOKEN);
        for (String path : List.of("/", "/events", "/metrics", "/live.js", "/?token=wrong", "/?token=")) {
            assertThat(ask(port, path, "Host: localhost")).as(path).startsWith("HTTP/1.1 401");
        }
        assertThat(ask(port, "/", "Host: localhost", "Cookie: bascule=null")).startsWith("HTTP/1.1 401");
        assertThat(ask(port, "/metrics", "Host: any.example", "Authorization: Bearer " + TOKEN))
                .startsWith("HTTP/1.1 200");
    }

    @Test
    void theTokenOfTheAddressBecomesACookie() throws IOException {
        int port = port("0.0.0.0:0", TOKEN);
        String moved = ask(port, "/?token=" + TOKEN, "Host: localhost");
        assertThat(moved).startsWith("HTTP/1.1 303").containsIgnoringCase("Location: /\r\n")
                .containsIgnoringCase("Set-Cookie: bascule=" + TOKEN + "; HttpOnly; SameSite=Strict");
        assertThat(ask(port, "/", "Host: localhost", "Cookie: other=1; bascule=" + TOKEN)).startsWith("HTTP/1.1 200");
    }

    @Test
    void withoutATokenOfTheUserEachPageHasItsOwn() {
        LivePage first = LivePage.open(WebAddress.parse("0.0.0.0:0"), hosts, null);
        LivePage second = LivePage.open(WebAddress.parse("0.0.0.0:0"), hosts, null);
        pages.addAll(List.of(first, second));
        assertThat(first.address()).matches("http://[^/:]+:\\d+/\\?token=[0-9a-f]{32}");
        assertThat(first.address().replaceAll(".*=", "")).isNotEqualTo(second.address().replaceAll(".*=", ""));
    }

    @Test
    void aTokenThatCanBeGuessedIsRefused() {
        assertThatThrownBy(() -> LivePage.open(WebAddress.parse("0.0.0.0:0"), hosts, "secret"))
                .hasMessageStartingWith("BASCULE_WEB_TOKEN: at least 16");
    }

    @Test
    void aPortInUseIsSaid() {
        int port = port("0", null);
        assertThatThrownBy(
                () -> LivePage.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), hosts, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("serve the live page at 127.0.0.1:" + port + ": Address already in use")
                .hasMessageContaining("--web");
    }

    @Test
    void eventsShowWhatTheHostCountsNow() throws IOException {
        try (CounterPage counters = CounterPage.create(directory, "wave")) {
            counters.set(Counter.REQUESTS_SERVED, 1);
            hosts.follow(directory);
            int port = port("0", null);
            try (Socket socket = send(port, "GET", "/events", "Host: localhost");
                    BufferedReader lines = new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
                await(lines, "\"requestsServed\":1,");
                counters.set(Counter.REQUESTS_SERVED, 2);
                await(lines, "\"requestsServed\":2,");
                pages.getFirst().close();
                await(lines, "event: end");
            }
        }
    }

    private static void await(BufferedReader lines, String text) throws IOException {
        String line = lines.readLine();
        while (line != null && !line.contains(text)) {
            line = lines.readLine();
        }
        assertThat(line).as("until the connection's end: a line with " + text).isNotNull();
    }

    @Test
    void whoAsksForOpenMetricsGetsIt() throws IOException {
        int port = port("0", null);
        assertThat(ask(port, "/metrics", "Host: localhost", "Accept: application/openmetrics-text;version=1.0.0"))
                .containsIgnoringCase("Content-Type: application/openmetrics-text; version=1.0.0").contains("# EOF");
        assertThat(ask(port, "/metrics", "Host: localhost")).containsIgnoringCase("Content-Type: text/plain")
                .doesNotContain("# EOF");
    }
}
