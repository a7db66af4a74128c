package dev.bascule.web;

import dev.bascule.ffi.Door;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Serves the live page at {@code /}, what it shows as server-sent events at {@code /events}, and metrics at {@code
 * /metrics}. Its threads are platform threads, for the carriers of virtual ones are the emulated
 * CPUs'. {@link #close} ends all connections.
 */
public final class LivePage implements AutoCloseable {
    private static final int MOST_WATCHERS = 16;
    /** A connection has as long for its request and the answer, a watcher for reading what it is told. */
    private static final Door.Bounds BOUNDS = Door.Bounds.of(MOST_WATCHERS + 16, 5_000);
    /** One that finds it full tries again after a second. */
    private static final int BACKLOG = 512;
    private static final long PERIOD_MILLIS = 250;
    private static final Map<String, String> FILES = Map.of("/", "live.html", "/live.js", "live.js", "/live.css",
            "live.css");
    /** Nothing from elsewhere, and nothing inside the page. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final InetSocketAddress bound;
    private final Door<Socket> door;
    private final Hosts hosts;
    private final Access access;
    private final Semaphore watchers = new Semaphore(MOST_WATCHERS);
    private volatile boolean closing;

    private LivePage(ServerSocket listener, Hosts hosts, Access access) {
        this.bound = (InetSocketAddress) listener.getLocalSocketAddress();
        this.hosts = hosts;
        this.access = access;
        this.door = Door.open("web", listener, BOUNDS, this::answer);
    }

    /**
     * Serves from now on.
     *
     * @param token what has to be known to look from elsewhere; null: a new one. On a loopback address none is needed.
     * @throws IllegalArgumentException if the address cannot be had
     */
    public static LivePage open(InetSocketAddress at, Hosts hosts, @Nullable String token) {
        Access access = at.getAddress().isLoopbackAddress() ? Access.local() : Access.byToken(token);
        ServerSocket listener;
        try {
            listener = new ServerSocket(at.getPort(), BACKLOG, at.getAddress());
        } catch (BindException e) {
            throw new IllegalArgumentException("serve the live page at " + text(at) + ": " + e.getMessage()
                    + "; another process may listen there (ss -ltnp names it), or it is no address of this machine: choose"
                    + " another with --web, port 0 takes a free one", e);
        } catch (IOException e) {
            throw new UncheckedIOException("serve the live page at " + text(at) + ": " + e.getMessage(), e);
        }
        return new LivePage(listener, hosts, access);
    }

    private static String text(InetSocketAddress at) {
        String host = at.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + at.getPort();
    }

    /** Where a browser finds the page, with the token if one is needed; on all addresses: by the machine's name. */
    public String address() {
        String place = bound.getAddress().isAnyLocalAddress() ? machine() + ":" + bound.getPort() : text(bound);
        return "http://" + place + "/" + access.query();
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private void answer(Door.Guest<Socket> guest) throws IOException {
        Request request = Request.readFrom(guest.socket());
        request.set("X-Content-Type-Options", "nosniff");
        request.set("Referrer-Policy", "no-referrer");
        request.set("Content-Security-Policy", POLICY);
        request.set("Cache-Control", "no-store");
        switch (access.judge(request)) {
            case WRONG_NAME -> say(request, 403,
                    "This page is for this machine only: open it as localhost or 127.0.0.1.\n");
            case NO_TOKEN -> {
                request.set("WWW-Authenticate", "Bearer");
                say(request, 401, "A token is needed: open the address that the command printed, or send it as"
                        + " Authorization: Bearer TOKEN.\n");
            }
            case TO_COOKIE -> {
                request.set("Set-Cookie", access.cookie());
                request.set("Location", request.path());
                say(request, 303, "");
            }
            case ADMITTED -> admitted(guest, request);
        }
    }

    private void admitted(Door.Guest<Socket> guest, Request request) throws IOException {
        String path = request.path();
        String file = FILES.get(path);
        if (!request.method().equals("GET")) {
            request.set("Allow", "GET");
            say(request, 405, "Only GET.\n");
        } else if (file != null) {
            send(request, 200, type(file), resource(file));
        } else if (path.equals("/metrics")) {
            boolean open = String.join(",", request.field("accept")).contains("application/openmetrics-text");
            send(request, 200, open ? MetricsText.OPEN : MetricsText.PLAIN,
                    hosts.metrics(open).getBytes(StandardCharsets.UTF_8));
        } else if (!path.equals("/events")) {
            say(request, 404, "There is / and /metrics.\n");
        } else if (watchers.tryAcquire()) {
            try {
                guest.greeted();
                events(guest, request);
            } finally {
                watchers.release();
            }
        } else {
            say(request, 503, MOST_WATCHERS + " pages are open already; close one.\n");
        }
    }

    private void events(Door.Guest<Socket> guest, Request request) throws IOException {
        request.set("Content-Type", "text/event-stream");
        OutputStream out = request.begin(200);
        try {
            while (!closing) {
                guest.again();
                out.write(("data: " + hosts.json() + "\n\n").getBytes(StandardCharsets.UTF_8));
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

    private static void say(Request request, int status, String text) throws IOException {
        send(request, status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(Request request, int status, String type, byte[] body) throws IOException {
        request.set("Content-Type", type);
        request.send(status, body);
    }

    /** Tells the pages that this is the end, and ends. Idempotent. */
    @Override
    public void close() {
        closing = true;
        door.awaitFewerThan(1, 2 * PERIOD_MILLIS);
        door.close();
    }
}
