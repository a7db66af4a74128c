package dev.bascule.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What the figures were measured on, for the output's first lines. */
final class Machine {
    static final String METHOD = "C twins alternate with Java in one process, in windows of about 1 ms on two pinned "
            + "threads; best pace of either side; ratio = median of neighbour windows, then median over processes; "
            + "windows in which a thread had no core for 1 % of the time are left out and counted; "
            + "distance by a C probe (line round trip < 250 ns = near)";

    private Machine() {}

    static String describe() {
        return String.format(Locale.ROOT, "%s, %d CPUs, Linux %s, %s %s, load %s",
                line("/proc/cpuinfo", "model name", System.getProperty("os.arch")),
                Runtime.getRuntime().availableProcessors(), System.getProperty("os.version"),
                System.getProperty("java.vendor"), Runtime.version(), first("/proc/loadavg"));
    }

    private static String line(String file, String key, String otherwise) {
        try (var lines = Files.lines(Path.of(file))) {
            return lines.filter(l -> l.startsWith(key)).map(l -> l.substring(l.indexOf(':') + 1).strip()).findFirst()
                    .orElse(otherwise);
        } catch (IOException e) {
            return otherwise;
        }
    }

    private static String first(String file) {
        try {
            return Files.readString(Path.of(file)).split(" ")[0];
        } catch (IOException e) {
            return "unknown";
        }
    }
}
