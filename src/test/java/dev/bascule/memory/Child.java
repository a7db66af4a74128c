package dev.bascule.memory;

import dev.bascule.ffi.Libc;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A second JVM without one capability of root. */
record Child(int status, String output) {
    /** Runs a main class; null if this is root and there is no tool that drops the capability. */
    static @Nullable Child without(String capability, Class<?> main, String... args)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        if (Libc.effectiveUserId() == 0) {
            if (!Files.isExecutable(Path.of("/usr/bin/setpriv"))) {
                return null;
            }
            command.addAll(
                    List.of("/usr/bin/setpriv", "--bounding-set=-" + capability, "--inh-caps=-" + capability));
        }
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Xmx64m", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        return new Child(process.waitFor(), output);
    }
}
