package dev.bascule.web;

import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the live page is served: {@code [HOST:]PORT}, an IPv6 address in brackets; without a host the loopback address. */
public final class WebAddress {
    private static final Pattern FORM = Pattern.compile("(?:(\\[[0-9a-fA-F:.%]+\\]|[^:\\[\\]]+):)?(\\d{1,5})");

    private WebAddress() {}

    /**
     * @throws IllegalArgumentException if it is none
     * @throws UncheckedIOException if no host has that name
     */
    public static InetSocketAddress parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > 65_535) {
            throw new IllegalArgumentException("--web '" + text
                    + "': write a port, or an address and a port, as 8080, 192.0.2.1:8080 or [::1]:8080;"
                    + " port 0 takes a free one");
        }
        String host = matcher.group(1) == null ? "127.0.0.1" : matcher.group(1).replaceAll("[\\[\\]]", "");
        try {
            return new InetSocketAddress(InetAddress.getByName(host), Integer.parseInt(matcher.group(2)));
        } catch (UnknownHostException e) {
            throw new UncheckedIOException("--web '" + text + "': no host is called " + host
                    + "; name an address of this machine (ip address lists them)", e);
        }
    }
}
