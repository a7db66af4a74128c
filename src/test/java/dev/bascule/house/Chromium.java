package dev.bascule.house;

import dev.bascule.json.Json;
import dev.bascule.json.JsonFormatException;
import dev.bascule.json.JsonReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A headless Chromium with one page, driven by its DevTools protocol (chromedevtools.github.io/devtools-protocol) over the
 * JDK's web socket.
 */
public final class Chromium implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;
    private static final long LOOK_MILLIS = 100;

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private WebSocket socket;
    private long calls;

    private Chromium(Process process) {
        this.process = process;
    }

    /** Whether there is a program of that name. */
    public static boolean isInstalled(String program) throws IOException, InterruptedException {
        return new ProcessBuilder("sh", "-c", "command -v \"$1\"", "look", program)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    }

    /** Opens the page; the profile goes into the folder. */
    public static Chromium open(Path folder, String address) throws Exception {
        Path profile = Files.createDirectories(folder.resolve("profile"));
        List<String> words = List.of("chromium", "--headless", "--no-sandbox",
                "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                "--window-size=1300,1400", "--remote-debugging-port=0", "--user-data-dir=" + profile, "about:blank");
        Chromium chromium = new Chromium(new ProcessBuilder(words).redirectErrorStream(true)
                .redirectOutput(folder.resolve("chromium.log").toFile()).start());
        try {
            chromium.connect(profile.resolve("DevToolsActivePort"), address);
            return chromium;
        } catch (Exception | Error e) {
            chromium.close();
            throw e;
        }
    }

    private void connect(Path portFile, String address) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Files.exists(portFile) || Files.readAllLines(portFile).size() < 2) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new AssertionError("Chromium did not start, see chromium.log");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        String port = Files.readAllLines(portFile).getFirst();
        HttpRequest open = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?" + address))
                .PUT(HttpRequest.BodyPublishers.noBody()).build();
        String page = client.send(open, HttpResponse.BodyHandlers.ofString()).body();
        socket = client.newWebSocketBuilder()
                .buildAsync(URI.create((String) object(JsonReader.parse(page)).get("webSocketDebuggerUrl")),
                        new Listener())
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                answers.add(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private static Map<?, ?> object(Object json) {
        return (Map<?, ?>) json;
    }

    private Map<?, ?> call(String method, Json.Obj parameters) throws InterruptedException, JsonFormatException {
        long id = ++calls;
        socket.sendText(Json.object().put("id", id).put("method", method).put("params", parameters).toString(), true);
        while (true) {
            String answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (answer == null) {
                throw new AssertionError("Chromium does not answer " + method);
            }
            Map<?, ?> said = object(JsonReader.parse(answer));
            if (Long.valueOf(id).equals(said.get("id"))) {
                if (!said.containsKey("result")) {
                    throw new AssertionError(method + ": " + answer);
                }
                return object(said.get("result"));
            }
        }
    }

    /** Shows the page so wide, in the dark or the light scheme. */
    public void view(int width, boolean isDark) throws Exception {
        call("Emulation.setDeviceMetricsOverride", Json.object().put("width", width).put("height", 1400)
                .put("deviceScaleFactor", 1).put("mobile", false));
        Json.Arr features = Json.array();
        features.add(Json.object().put("name", "prefers-color-scheme").put("value", isDark ? "dark" : "light"));
        call("Emulation.setEmulatedMedia", Json.object().put("features", features));
    }

    /** Goes to another page and waits until it is there. */
    public void show(String address) throws Exception {
        call("Page.navigate", Json.object().put("url", address));
        await("document.readyState === 'complete' && location.href === '" + address + "'", () -> {});
    }

    /** The value of an expression of the page's script, as text. */
    public String value(String expression) throws Exception {
        Map<?, ?> result = object(call("Runtime.evaluate",
                Json.object().put("expression", "String(" + expression + ")")).get("result"));
        return String.valueOf(result.get("value"));
    }

    /** Waits until an expression is true; {@code alive} throws if it never will be. */
    public void await(String expression, Runnable alive) throws Exception {
        while (!value(expression).equals("true")) {
            alive.run();
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    /** Writes a PNG file of the whole page. */
    public void screenshot(Path file) throws Exception {
        String data = (String) call("Page.captureScreenshot", Json.object().put("captureBeyondViewport", true))
                .get("data");
        Files.write(file, Base64.getDecoder().decode(data));
    }

    @Override
    public void close() {
        if (socket != null) {
            socket.abort();
        }
        client.shutdownNow();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
