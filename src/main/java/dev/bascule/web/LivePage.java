package dev.bascule.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Serves the live page at {@code /}, what it shows as server-sent events at {@code /events}, and metrics at {@code
 * /metrics}, by the JDK's HTTP server. Its threads are platform threads, for the carriers of virtual ones are the emulated
 * CPUs'. {@link #close} ends all connections.
 */
public final class LivePage implements AutoCloseable {
    private static final int MOST_WATCHERS = 16;
    /** Of requests; a watcher has one for itself. */
    private static final int MOST_THREADS = MOST_WATCHERS + 16;
    private static final int MOST_CONNECTIONS = 64;
    /** For a whole request, and for a connection without one. */
    private static final int MOST_SECONDS = 5;

    static { // the server of the JDK takes its limits from there, once
        System.setProperty("jdk.httpserver.maxConnections", Integer.toString(MOST_CONNECTIONS));
        System.setProperty("sun.net.httpserver.maxReqTime", Integer.toString(MOST_SECONDS));
        System.setProperty("sun.net.httpserver.idleInterval", Integer.toString(MOST_SECONDS));
        System.setProperty("sun.net.httpserver.maxReqHeaderSize", Integer.toString(1 << 14));
    }

    private static final long PERIOD_MILLIS = 250;
    private static final Map<String, String> FILES = Map.of("/", "live.html", "/live.js", "live.js", "/live.css",
            "live.css");
    /** Nothing from elsewhere, and nothing inside the page. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final HttpServer server;
    private final ExecutorService threads;
    private final Hosts hosts;
    private final Access access;
    private final Semaphore watchers = new Semaphore(MOST_WATCHERS);
    private volatile boolean closing;

    private LivePage(HttpServer server, ExecutorService threads, Hosts hosts, Access access) {
        this.server = server;
        this.threads = threads;
        this.hosts = hosts;
        this.access = access;
    }

    /**
     * Serves from now on.
     *
     * @param token what has to be known to look from elsewhere; null: a new one. On a loopback address none is needed.
     * @throws IllegalArgumentException if the address cannot be had
     */
    public static LivePage open(InetSocketAddress at, Hosts hosts, @Nullable String token) {
        Access access = at.getAddress().isLoopbackAddress() ? Access.local() : Access.byToken(token);
        HttpServer server;
        try {
            server = HttpServer.create(at, 0);
        } catch (BindException e) {
            throw new IllegalArgumentException("serve the live page at " + text(at) + ": " + e.getMessage()
                    + "; another process may listen there (ss -ltnp names it), or it is no address of this machine: choose"
                    + " another with --web, port 0 takes a free one", e);
        } catch (IOException e) {
            throw new UncheckedIOException("serve the live page at " + text(at) + ": " + e.getMessage(), e);
        }
        ExecutorService threads = Executors.newFixedThreadPool(MOST_THREADS,
                Thread.ofPlatform().daemon().name("web-", 0).factory());
        LivePage page = new LivePage(server, threads, hosts, access);
        server.setExecutor(threads);
        server.createContext("/", page::answer);
        server.start();
        return page;
    }

    private static String text(InetSocketAddress at) {
        String host = at.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + at.getPort();
    }

    /** Where a browser finds the page, with the token if one is needed; on all addresses: by the machine's name. */
    public String address() {
        InetSocketAddress at = server.getAddress();
        String place = at.getAddress().isAnyLocalAddress() ? machine() + ":" + at.getPort() : text(at);
        return "http://" + place + "/" + access.query();
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private void answer(HttpExchange request) throws IOException {
        try (request) {
            request.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
            request.getResponseHeaders().set("Referrer-Policy", "no-referrer");
            request.getResponseHeaders().set("Content-Security-Policy", POLICY);
            request.getResponseHeaders().set("Cache-Control", "no-store");
            switch (access.judge(request)) {
                case WRONG_NAME -> say(request, 403,
                        "This page is for this machine only: open it as localhost or 127.0.0.1.\n");
                case NO_TOKEN -> {
                    request.getResponseHeaders().set("WWW-Authenticate", "Bearer");
                    say(request, 401, "A token is needed: open the address that the command printed, or send it as"
                            + " Authorization: Bearer TOKEN.\n");
                }
                case TO_COOKIE -> {
                    request.getResponseHeaders().set("Set-Cookie", access.cookie());
                    request.getResponseHeaders().set("Location", request.getRequestURI().getRawPath());
                    say(request, 303, "");
                }
                case ADMITTED -> admitted(request);
            }
        }
    }

    private void admitted(HttpExchange request) throws IOException {
        String path = request.getRequestURI().getPath();
        String file = FILES.get(path);
        if (!request.getRequestMethod().equals("GET")) {
            request.getResponseHeaders().set("Allow", "GET");
            say(request, 405, "Only GET.\n");
        } else if (file != null) {
            send(request, 200, type(file), resource(file));
        } else if (path.equals("/metrics")) {
            String accept = String.join(",", request.getRequestHeaders().getOrDefault("Accept", List.of()));
            boolean open = accept.contains("application/openmetrics-text");
            send(request, 200, open ? MetricsText.OPEN : MetricsText.PLAIN,
                    hosts.metrics(open).getBytes(StandardCharsets.UTF_8));
        } else if (path.equals("/events")) {
            if (watchers.tryAcquire()) {
                try {
                    events(request);
                } finally {
                    watchers.release();
                }
            } else {
                say(request, 503, MOST_WATCHERS + " pages are open already; close one.\n");
            }
        } else {
            say(request, 404, "There is / and /metrics.\n");
        }
    }

    private void events(HttpExchange request) throws IOException {
        request.getResponseHeaders().set("Content-Type", "text/event-stream");
        request.sendResponseHeaders(200, 0);
        try (OutputStream out = request.getResponseBody()) {
            while (!closing) {
                out.write(("data: " + hosts.json() + "\n\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
                Thread.sleep(PERIOD_MILLIS);
            }
            out.write(("data: " + hosts.json() + "\n\nevent: end\ndata: end\n\n").getBytes(StandardCharsets.UTF_8));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String type(String file) {
        return file.endsWith(".js")
                ? "text/javascript; charset=utf-8"
                : file.endsWith(".css") ? "text/css; charset=utf-8" : "text/html; charset=utf-8";
    }

    private static byte[] resource(String file) throws IOException {
        try (InputStream in = LivePage.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IOException("resource " + file + " is not in the jar");
            }
            return in.readAllBytes();
        }
    }

    private static void say(HttpExchange request, int status, String text) throws IOException {
        send(request, status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange request, int status, String type, byte[] body) throws IOException {
        request.getResponseHeaders().set("Content-Type", type);
        request.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        try (OutputStream out = request.getResponseBody()) {
            out.write(body);
        }
    }

    /** Tells the pages that this is the end, and ends. Idempotent. */
    @Override
    public void close() {
        closing = true;
        threads.shutdown();
        try {
            threads.awaitTermination(2 * PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.stop(0);
        threads.shutdownNow();
    }
}
