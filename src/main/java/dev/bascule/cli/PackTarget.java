package dev.bascule.cli;

import dev.bascule.run.Failure;
import dev.bascule.run.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Where an archive's Java and C library come from.
 *
 * @param jmods modules that jlink links
 * @param libraries folder with the C library to take along; empty: the target's own is used
 * @param glibc the newest version of glibc that the JDK asks for
 */
record PackTarget(Path jmods, Optional<Path> libraries, String glibc) {
    static final String AARCH64 = "linux-aarch64";
    /** Libraries of the target that the JVM loads. */
    static final List<String> LIBRARIES = List.of("ld-linux-aarch64.so.1", "libc.so.6", "libdl.so.2", "libgcc_s.so.1",
            "libm.so.6", "libpthread.so.0", "librt.so.1", "libstdc++.so.6", "libz.so.1");

    private static final Pattern VERSION = Pattern.compile("GLIBC_2\\.(\\d+)");

    /** Debian's packages for the target, fetched if need be. */
    static PackTarget debian(Path home, Progress progress) throws IOException, InterruptedException {
        progress.say("looking for the target's packages (scripts/pack-target)");
        Process script = new ProcessBuilder(home.resolve("scripts/pack-target").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String said = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (script.waitFor() != 0) {
            throw new Failure("scripts/pack-target could not fetch the target's packages; name a JDK of it: --jdk DIR");
        }
        Path root = Path.of(said);
        try (Stream<Path> found = Files.list(root.resolve("usr/lib/jvm"))) {
            Path jdk = found.filter(one -> Files.isDirectory(one.resolve("jmods"))).sorted().findFirst()
                    .orElseThrow(() -> new Failure("no jmods in " + root + "; remove it, and try again"));
            return new PackTarget(jdk.resolve("jmods"), Optional.of(root.resolve("usr/lib/aarch64-linux-gnu")),
                    newest(jdk));
        }
    }

    /** A JDK of the user's, on the target's own C library. */
    static PackTarget of(Path jdk) {
        if (!Files.isRegularFile(jdk.resolve("jmods/java.base.jmod"))) {
            throw new Failure(
                    "--jdk " + jdk + ": it has no jmods/java.base.jmod; where they come apart from the JDK, unpack"
                            + " them into its folder jmods");
        }
        return new PackTarget(jdk.resolve("jmods"), Optional.empty(), newest(jdk));
    }

    private static String newest(Path jdk) {
        int most = 0;
        for (String file : List.of("bin/java", "lib/libjli.so", "lib/libjava.so", "lib/libnio.so",
                "lib/server/libjvm.so")) {
            try {
                String text = new String(Files.readAllBytes(jdk.resolve(file)), StandardCharsets.ISO_8859_1);
                Matcher matcher = VERSION.matcher(text);
                while (matcher.find()) {
                    most = Math.max(most, Integer.parseInt(matcher.group(1)));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(jdk + " is no whole JDK: " + e.getMessage(), e);
            }
        }
        return "2." + most;
    }

    /** Requirements of the archive on the machine it runs on, in words. */
    String needs() {
        return libraries.isPresent()
                ? "aarch64, Linux 3.7 or newer; its own C library may be any, as this has the one its Java was built for (glibc "
                        + glibc + " or newer)"
                : "aarch64 with glibc " + glibc + " or newer";
    }
}
