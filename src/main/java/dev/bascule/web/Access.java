package dev.bascule.web;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rule of who may look. On the loopback address everyone on this machine, by a name of that address only, so that no
 * page from elsewhere can lead a browser here under its own name; on any other address who has the token: in the query,
 * which a browser gets changed into a cookie, or as a bearer token.
 */
final class Access {
    private static final Pattern LOCAL = Pattern.compile("(localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1\\])(:\\d+)?");
    private static final int SHORTEST_TOKEN = 16;
    private static final String COOKIE = "bascule=";

    private final @Nullable String token;

    /** Verdict on a request. */
    enum Verdict {
        ADMITTED,
        /** It has the token in its query: as a cookie from now on. */
        TO_COOKIE,
        /** By a name that is not this machine's own. */
        WRONG_NAME,
        /** Without the token, or with a wrong one. */
        NO_TOKEN
    }

    private Access(@Nullable String token) {
        this.token = token;
    }

    static Access local() {
        return new Access(null);
    }

    /**
     * By a token.
     *
     * @param given by the user; null: a new one, of 128 bits
     */
    static Access byToken(@Nullable String given) {
        if (given == null) {
            byte[] random = new byte[16];
            new SecureRandom().nextBytes(random);
            return new Access(HexFormat.of().formatHex(random));
        }
        if (given.length() < SHORTEST_TOKEN || !given.matches("[A-Za-z0-9._~-]+")) {
            throw new IllegalArgumentException("BASCULE_WEB_TOKEN: at least " + SHORTEST_TOKEN
                    + " letters, digits or any of ._~- ; make one with: openssl rand -hex 16");
        }
        return new Access(given);
    }

    /** Query that follows the page's address. */
    String query() {
        return token == null ? "" : "?token=" + token;
    }

    String cookie() {
        return COOKIE + token + "; HttpOnly; SameSite=Strict; Path=/";
    }

    Verdict judge(Request request) {
        if (token == null) {
            List<String> host = request.field("host");
            return !host.isEmpty() && LOCAL.matcher(host.getFirst()).matches() ? Verdict.ADMITTED : Verdict.WRONG_NAME;
        }
        String query = request.query();
        if (query.startsWith("token=") && isToken(query.substring("token=".length()))) {
            return Verdict.TO_COOKIE;
        }
        for (String sent : request.field("authorization")) {
            if (sent.startsWith("Bearer ") && isToken(sent.substring("Bearer ".length()).strip())) {
                return Verdict.ADMITTED;
            }
        }
        for (String sent : request.field("cookie")) {
            for (String one : sent.split(";")) {
                if (one.strip().startsWith(COOKIE) && isToken(one.strip().substring(COOKIE.length()))) {
                    return Verdict.ADMITTED;
                }
            }
        }
        return Verdict.NO_TOKEN;
    }

    private boolean isToken(String sent) {
        return token != null && MessageDigest.isEqual(sent.getBytes(StandardCharsets.UTF_8),
                token.getBytes(StandardCharsets.UTF_8));
    }
}
