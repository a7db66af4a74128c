package dev.bascule.models;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.models.ModelRun.Verdict;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks TLA+ models with TLC in a process of its own. With one worker counterexamples are shortest ones. Liveness is checked
 * once, in the whole graph of states.
 */
final class Tlc {
    private static final Pattern STATES = Pattern.compile("([0-9,]+) distinct states found");

    private static final Pattern PARSED = Pattern.compile("Parsing file (.+)");

    private Tlc() {}

    /** Checks {@code module} with a configuration and compares the verdict. */
    static void check(String module, String name, String configuration, Verdict expected, Path directory,
            long timeoutSeconds) throws IOException {
        ModelRun.copy(module + ".tla", directory);
        Path cfg = directory.resolve(name + ".cfg");
        Files.writeString(cfg, configuration);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String heap = expected == Verdict.OK ? "-Xmx3g" : "-Xmx1g";
        long start = System.nanoTime();
        // TLC unpacks its standard modules into the JVM's folder for temporary files, where another run reads them half written
        String out = ModelRun.run(directory, name + ".txt", timeoutSeconds,
                List.of(java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=" + (timeoutSeconds > 200 ? 4 : 1), heap,
                        "-Djava.io.tmpdir=" + directory, "-cp", jar(), "tlc2.TLC", "-workers", "1", "-lncheck", "final",
                        "-metadir", directory.toString(), "-config", cfg.toString(), module + ".tla"));
        Matcher states = STATES.matcher(out);
        String last = "?";
        while (states.find()) {
            last = states.group(1);
        }
        System.out.println(name + ": " + verdict(out) + ", " + last + " states, "
                + (System.nanoTime() - start) / 1_000_000 + " ms");
        assertThat(verdict(out)).as("%s; the end of what TLC says: %s", name, end(out)).isEqualTo(expected);
        assertThat(PARSED.matcher(out).results().map(file -> Path.of(file.group(1)).getParent()))
                .as("folders that TLC reads modules from").isNotEmpty().containsOnly(directory);
    }

    private static String end(String out) {
        return out.substring(Math.max(0, out.length() - 2_000)).strip();
    }

    private static Verdict verdict(String out) {
        if (out.contains("No error has been found")) {
            return Verdict.OK;
        }
        boolean violated = out.contains("is violated") || out.contains("were violated");
        return violated ? Verdict.VIOLATED : Verdict.UNKNOWN;
    }

    private static String jar() {
        try {
            return Path.of(tlc2.TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("where is TLC?", e);
        }
    }
}
