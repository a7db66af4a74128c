package dev.bascule.web;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A request of HTTP/1.1 without a body, and its answer, after which the connection ends. Thread rule: one thread.
 */
final class Request {
    private static final int MOST_BYTES = 1 << 14;
    private static final Map<Integer, String> REASONS = Map.of(200, "OK", 303, "See Other", 400, "Bad Request", 401,
            "Unauthorized", 403, "Forbidden", 404, "Not Found", 405, "Method Not Allowed", 431,
            "Request Header Fields Too Large", 503, "Service Unavailable");

    private final OutputStream out;
    private final String method;
    private final String target;
    private final Map<String, List<String>> fields = new LinkedHashMap<>();
    private final Map<String, String> answer = new LinkedHashMap<>();

    private Request(OutputStream out, String head) {
        this.out = out;
        String[] lines = head.split("\r?\n");
        String[] words = lines[0].split(" ", -1);
        boolean isWhole = words.length == 3 && words[2].startsWith("HTTP/1.")
                && words[1].chars().allMatch(c -> c > ' ' && c < 0x7f);
        method = isWhole ? words[0] : "";
        target = isWhole ? words[1] : "";
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0) {
                fields.merge(lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                        List.of(lines[i].substring(colon + 1).strip()), Request::joined);
            }
        }
    }

    private static List<String> joined(List<String> some, List<String> more) {
        return List.of(String.join(", ", some), String.join(", ", more));
    }

    /**
     * Reads one. Has no deadline: whoever accepted the connection closes it then.
     *
     * @throws IOException if the peer has gone, or sends what is none, which it is told
     */
    static Request readFrom(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        byte[] some = new byte[1024];
        String text = "";
        while (!text.contains("\r\n\r\n") && !text.contains("\n\n")) {
            int count = in.read(some);
            if (count < 0) {
                throw new EOFException("half a request");
            }
            head.write(some, 0, count);
            if (head.size() > MOST_BYTES) {
                new Request(socket.getOutputStream(), "").send(431, new byte[0]);
                throw new IOException("a request of more than " + MOST_BYTES + " bytes");
            }
            text = head.toString(StandardCharsets.ISO_8859_1);
        }
        Request request = new Request(socket.getOutputStream(), text);
        if (request.method.isEmpty()) {
            request.send(400, new byte[0]);
            throw new IOException("no request");
        }
        return request;
    }

    String method() {
        return method;
    }

    /** Path as it was sent, without the query. */
    String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    /** Words behind the question mark, or nothing. */
    String query() {
        int query = target.indexOf('?');
        return query < 0 ? "" : target.substring(query + 1);
    }

    /** All values of a header field, by its name in small letters. */
    List<String> field(String name) {
        return fields.getOrDefault(name, List.of());
    }

    /** Sets a header field of the answer. */
    void set(String name, String value) {
        answer.put(name, value);
    }

    /** Answers with a whole body. */
    void send(int status, byte[] body) throws IOException {
        set("Content-Length", Integer.toString(body.length));
        begin(status).write(body);
        out.flush();
    }

    /** Begins an answer whose body ends with the connection. */
    OutputStream begin(int status) throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " " + REASONS.getOrDefault(status, "") + "\r\n");
        answer.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        out.write(head.append("Connection: close\r\n\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        return out;
    }
}
