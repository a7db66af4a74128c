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
        String out = ModelRun.run(directory, name + ".txt", timeoutSeconds,
                List.of(java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=" + (timeoutSeconds > 200 ? 4 : 1), heap,
                        "-cp", jar(), "tlc2.TLC", "-workers", "1", "-lncheck", "final", "-metadir",
                        directory.toString(), "-config",
                        cfg.toString(), module + ".tla"));
        Matcher states = STATES.matcher(out);
        String last = "?";
        while (states.find()) {
            last = states.group(1);
        }
        System.out.println(name + ": " + verdict(out) + ", " + last + " states, "
                + (System.nanoTime() - start) / 1_000_000 + " ms");
        assertThat(verdict(out)).as(out).isEqualTo(expected);
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
