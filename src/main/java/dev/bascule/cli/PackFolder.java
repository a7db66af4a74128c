package dev.bascule.cli;

import dev.bascule.run.Failure;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** The folder that becomes an archive for a card's cores. */
final class PackFolder {
    /** Java modules that Bascule requires, and those that policies usually need. */
    private static final String MODULES = "java.base,java.logging,java.management,jdk.jfr,jdk.management,"
            + "jdk.unsupported";

    private static final String NAME = "bascule";

    private final Path parent;
    private final Path folder;

    /** A new one in {@code parent}. */
    PackFolder(Path parent) throws IOException {
        this.parent = parent;
        this.folder = Files.createDirectories(parent.resolve(NAME));
    }

    /** The Java runtime, of the target's modules. */
    void link(PackTarget from, String more) throws IOException {
        StringWriter said = new StringWriter();
        int status = ToolProvider.findFirst("jlink")
                .orElseThrow(() -> new Failure("this Java has no jlink; start Bascule with a JDK, not a JRE"))
                .run(new PrintWriter(said), new PrintWriter(said), "--module-path", from.jmods().toString(),
                        "--add-modules", more.isEmpty() ? MODULES : MODULES + "," + more,
                        "--strip-java-debug-attributes",
                        "--no-header-files", "--no-man-pages", "--compress", "zip-6", "--output",
                        folder.resolve("jdk").toString());
        if (status != 0) {
            throw new Failure("jlink " + from.jmods() + ": " + said.toString().strip());
        }
        for (Path file : all()) {
            if (file.toString().endsWith(".debuginfo")) {
                Files.delete(file);
            }
        }
    }

    /** The C library, if the target's own is not to be used. */
    void libraries(PackTarget from) throws IOException {
        if (from.libraries().isPresent()) {
            Path to = Files.createDirectories(folder.resolve("libc"));
            for (String name : PackTarget.LIBRARIES) {
                Files.copy(from.libraries().get().resolve(name).toRealPath(), to.resolve(name));
            }
        }
    }

    /** The jar and those beside it, but for the database of the main job. */
    void program(Path jar) throws IOException {
        Path app = folder.resolve("app");
        Path beside = Files.createDirectories(app.resolve("lib"));
        Files.copy(jar, app.resolve("bascule.jar"));
        Path study = jar.resolveSibling("bascule-study.jar");
        if (Files.exists(study)) {
            Files.copy(study, app.resolve("bascule-study.jar"));
        }
        try (Stream<Path> libraries = Files.list(jar.resolveSibling("lib"))) {
            for (Path library : libraries.toList()) {
                String name = String.valueOf(library.getFileName());
                if (!name.startsWith("rocksdbjni")) {
                    Files.copy(library.toRealPath(), beside.resolve(name));
                }
            }
        }
    }

    /** Files of the user's in a folder of this name. */
    void files(String name, List<Path> files) throws IOException {
        for (Path file : files) {
            if (!Files.isRegularFile(file)) {
                throw new Failure(file + ": there is no such file");
            }
            Files.copy(file, Files.createDirectories(folder.resolve(name)).resolve(String.valueOf(file.getFileName())),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Those of the installation, and the user's. */
    void configurations(Path installed, List<Path> own) throws IOException {
        try (Stream<Path> files = Files.list(installed)) {
            files("hw-configs", files.filter(Files::isRegularFile).toList());
        }
        files("hw-configs", own);
    }

    /** Writes the script that starts Bascule, and a README that says how. */
    void scripts(PackTarget from) throws IOException {
        String java = from.libraries().isPresent()
                ? "\"$here/libc/ld-linux-aarch64.so.1\" --library-path \"$here/libc\" \"$here/jdk/bin/java\""
                : "\"$here/jdk/bin/java\"";
        Path script = Files.createDirectories(folder.resolve("bin")).resolve("bascule");
        Files.writeString(script,
                """
                        #!/bin/sh
                        # Bascule on a card's own cores. BASCULE_EMULATOR=qemu-aarch64 tries it on another machine.
                        here=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
                        exec ${BASCULE_EMULATOR:-} %s -XX:+UseSerialGC -XX:-UsePerfData -Xmx${BASCULE_HEAP:-128m} --enable-native-access=ALL-UNNAMED \\
                            -Dbascule.home="$here" -Dbascule.launcher="$here/bin/bascule" ${BASCULE_JAVA_OPTS:-} \\
                            -cp "$here/app/*" dev.bascule.cli.Main "$@"
                        """
                        .formatted(java));
        if (!script.toFile().setExecutable(true, false)) {
            throw new IOException("make " + script + " executable");
        }
        Files.writeString(folder.resolve("README"),
                """
                        Bascule for a card's own cores. Needs %s.

                          sha256sum --quiet -c SHA256SUMS                                    is everything here, and whole?
                          bin/bascule doctor --device my-card                                can the region be reached?
                          bin/bascule agent --device my-card --transport any --stay          the agent
                          bin/bascule agent --device my-card --transport any --stay --unit >/etc/systemd/system/bascule-agent.service
                          systemctl enable --now bascule-agent                               ... as a service

                        For the barriers of uncached memory (a C compiler, once):
                          mkdir app/native; cc -O2 -fPIC -shared -o app/native/libbascule_cache.so native/cache.c

                        my-card: a file of hw-configs. Policies of your own are in policies: --policy my.Class --policy-path
                        policies/my.jar.
                        """
                        .formatted(from.needs()));
    }

    /** Of every file, in the form of sha256sum. */
    void checksums() throws IOException {
        StringBuilder sums = new StringBuilder();
        for (Path file : all()) {
            sums.append(digest(file)).append("  ").append(folder.relativize(file)).append('\n');
        }
        Files.writeString(folder.resolve("SHA256SUMS"), sums);
    }

    private static String digest(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<Path> all() throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        files.sort(null);
        return files;
    }

    /** Into an archive, by tar. */
    void pack(Path archive) throws InterruptedException {
        try {
            Process tar = new ProcessBuilder("tar", "-C", parent.toString(), "--owner=0", "--group=0",
                    "--sort=name", "-czf", archive.toString(), NAME).redirectErrorStream(true).start();
            String said = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (tar.waitFor() != 0) {
                throw new Failure("tar: " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("tar: " + e.getMessage() + "; apt-get install tar", e);
        }
    }
}
