package dev.bascule.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Debian's tshark as an oracle: packets one by one, nothing put together from several. */
public final class Tshark {
    private static final List<String> APART = List.of("-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE", "-o",
            "tcp.desegment_tcp_streams:FALSE", "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-o",
            "tcp.check_checksum:TRUE");

    private Tshark() {}

    /** Why it cannot be asked; empty if it can. */
    public static Optional<String> missing() {
        try {
            return run(List.of("tshark", "--version")).startsWith("TShark")
                    ? Optional.empty()
                    : Optional.of("tshark does not say its version");
        } catch (IOException e) {
            return Optional.of("no tshark: apt-get install --no-install-recommends tshark");
        }
    }

    /** Values of these fields of each frame, the first one where a field is there several times, empty where it is not. */
    public static List<List<String>> fields(Path file, List<String> fields) throws IOException {
        List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r", file.toString(), "-T", "fields", "-E",
                "occurrence=f", "-E", "separator=/t"));
        command.addAll(APART);
        fields.forEach(field -> command.addAll(List.of("-e", field)));
        return run(command).lines().map(line -> Arrays.asList(line.split("\t", -1))).toList();
    }

    private static String run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + process.exitValue());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return said;
    }
}
