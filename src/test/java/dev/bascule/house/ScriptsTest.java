package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts in a copy of the clone whose path has spaces, without building anything. */
@Tag("process")
class ScriptsTest {
    @TempDir
    private Path temporary = Path.of("");

    private Path clone = Path.of("");
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void copyTheScripts() throws Exception {
        clone = ScriptsCopy.make(temporary, environment);
    }

    @Test
    void theLauncherPrintsItsVersionFromAnywhere() throws Exception {
        Command command = script("bascule", "--version");
        assertThat(command.out()).as(command.err()).startsWith("bascule 0.");
        assertThat(command.status()).isZero();
    }

    @Test
    void theLauncherWorksThroughASymbolicLink() throws Exception {
        Path link = Files.createSymbolicLink(temporary.resolve("bascule"), clone.resolve("scripts/bascule"));
        Command command = Command.run(Path.of("/"), environment, List.of(link.toString(), "--version"));
        assertThat(command.out()).as(command.err()).startsWith("bascule 0.");
    }

    @Test
    void withoutAJdkTheExactCommandIsSaid() throws Exception {
        environment.remove("BASCULE_JAVA_HOME");
        environment.put("BASCULE_JDK_DIRS", temporary.toString());
        Command command = script("run", "--quick");
        assertThat(command.status()).isEqualTo(1);
        assertThat(command.out()).isEmpty();
        assertThat(command.err()).contains("no JDK 25 was found").contains("export BASCULE_JAVA_HOME=")
                .contains("    mkdir -p ~/.jdks\n", " https://api.adoptium.net/v3/binary/latest/25/ga/linux/",
                        "    tar -xzf /tmp/jdk-25.tar.gz -C ~/.jdks\n");
        if (Files.isExecutable(Path.of("/usr/bin/apt-get"))) {
            assertThat(command.err()).contains("apt-get install -y openjdk-25-jdk-headless");
        }
    }

    @Test
    void aFolderThatIsNoJdkIsNamed() throws Exception {
        environment.put("BASCULE_JAVA_HOME", "/no/such/jdk");
        Command command = script("bascule", "--version");
        assertThat(command.status()).isEqualTo(1);
        assertThat(command.err()).contains("BASCULE_JAVA_HOME=/no/such/jdk is not a JDK 25");
    }

    @Test
    void aJdkOfAnotherReleaseIsNotTaken() throws Exception {
        Path old = fakeJdk("old", "17.0.15");
        environment.put("BASCULE_JAVA_HOME", old.toString());
        assertThat(script("bascule", "--version").err()).contains("is not a JDK 25");
    }

    @Test
    void aJdkIsFoundInTheFoldersNamed() throws Exception {
        environment.remove("BASCULE_JAVA_HOME");
        Path folder = Files.createDirectories(temporary.resolve("jdks"));
        fakeJdk("jdks/seventeen", "17.0.15");
        Files.createSymbolicLink(folder.resolve("twenty-five"), Path.of(System.getProperty("java.home")));
        environment.put("BASCULE_JDK_DIRS", "/nowhere:" + folder);
        assertThat(script("bascule", "--version").out()).startsWith("bascule 0.");
    }

    @Test
    void withoutMavenTheExactCommandIsSaid() throws Exception {
        environment.remove("BASCULE_NO_BUILD");
        environment.put("BASCULE_MVN", "/no/such/mvn");
        Command command = script("bascule", "--version");
        assertThat(command.status()).isEqualTo(1);
        assertThat(command.err()).contains("BASCULE_MVN=/no/such/mvn cannot be run");
    }

    /** A library function by a shell that has nothing but what this names. */
    private Command library(String line, String... programs) throws Exception {
        Path few = Files.createDirectories(temporary.resolve("few"));
        for (String program : programs) {
            Files.createSymbolicLink(few.resolve(program), Path.of("/bin").resolve(program));
        }
        return Command.run(clone, environment, List.of("/bin/bash", "-euo", "pipefail", "-c",
                ". scripts/lib.sh; find_jdk; PATH=" + few + "; " + line));
    }

    @Test
    void whereUnzipIsMissingTheJdkUnpacksMaven() throws Exception {
        Path zip = temporary.resolve("apache-maven-bin.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            out.putNextEntry(new ZipEntry("apache-maven/bin/mvn"));
            out.write("#!/bin/sh\necho it is unpacked\n".getBytes(StandardCharsets.UTF_8));
        }
        Path folder = Files.createDirectory(temporary.resolve("unpacked"));
        Command unpacked = library("with_unzip unzip -q " + zip + " -d " + folder + "; " + folder
                + "/apache-maven/bin/mvn", "mkdir", "chmod", "sh");
        assertThat(unpacked.out()).as(unpacked.err()).isEqualTo("it is unpacked\n");
    }

    @Test
    void whatFailsAsideIsSaidWithItsLastWords() throws Exception {
        Command said = library("aside apt sh -c 'echo noise; echo no network >&2; exit 7' || echo it failed", "mkdir",
                "sh", "tail", "sed");
        assertThat(said.out()).isEqualTo("it failed\n");
        assertThat(said.err()).contains("bascule: this failed: sh -c ", "    no network\n")
                .contains(clone.resolve("target/log/apt.log").toString());
        assertThat(library("aside apt sh -c 'echo noise >&2'").err()).isEmpty();
    }

    private void git(String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of("git", "-c", "user.name=a", "-c", "user.email=a@b.c"));
        all.addAll(List.of(words));
        Command command = Command.run(clone, environment, all);
        assertThat(command.status()).as(command.err()).isZero();
    }

    @Test
    void aReleaseIsOfACommitWithATagAndNothingElse() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/git")), "no git: apt-get install git");
        git("init", "-q");
        git("add", "scripts");
        git("commit", "-q", "-m", "scripts");
        assertThat(script("release").err()).contains("the commit has no tag as v0.1.0");
        assertThat(script("release", "1.0").err()).contains("a version is as 0.1.0 or 0.1.0-rc.1, not '1.0'");
        git("tag", "v0.2.0");
        assertThat(script("release").err()).contains("no remote \"origin\"").contains("--url URL");
        git("remote", "add", "origin", "/somewhere");
        assertThat(script("release").err()).contains("https:// address, not at '/somewhere'");
        Files.writeString(clone.resolve("scripts/run"), "\n", StandardOpenOption.APPEND);
        Command changed = script("release");
        assertThat(changed.err()).contains("changed and not committed");
        assertThat(changed.status()).isEqualTo(1);
        assertThat(clone.resolve("target/release")).doesNotExist();
    }

    @Test
    void mavenOnAnotherJdkSaysWhatToDoInOneLine() throws Exception {
        Path old = otherJdk();
        Assumptions.assumeTrue(old != null && Files.isExecutable(Path.of("/usr/bin/mvn")),
                "no JDK of another release in /usr/lib/jvm, or no /usr/bin/mvn");
        environment.put("JAVA_HOME", old.toString());
        Command command = Command.run(House.BASE, environment, List.of("mvn", "-q", "-B", "validate"));
        assertThat(command.status()).isNotZero();
        assertThat(command.out().lines().filter(line -> line.contains("Maven must run on a JDK 25"))).singleElement()
                .asString().contains(old.toRealPath().toString())
                .contains("use scripts/run, which finds or installs one");
    }

    /** A JDK that is not 25 but new enough for Maven itself; null if there is none. */
    private static Path otherJdk() throws Exception {
        Path place = Path.of("/usr/lib/jvm");
        if (!Files.isDirectory(place)) {
            return null;
        }
        try (Stream<Path> folders = Files.list(place)) {
            return folders.filter(folder -> Files.isExecutable(folder.resolve("bin/javac"))
                    && Files.exists(folder.resolve("release"))
                    && House.read(folder.resolve("release")).matches("(?s).*JAVA_VERSION=\"(17|21|24|26)[\".].*"))
                    .sorted().findFirst().orElse(null);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "bascule.jar", "bascule-study.jar" })
    void withoutAJarAndWithoutLeaveToBuildItSaysSo(String jar) throws Exception {
        Files.delete(clone.resolve("target").resolve(jar));
        Command command = script("bascule", "--version");
        assertThat(command.status()).isEqualTo(1);
        assertThat(command.err()).contains("target/" + jar, "unset BASCULE_NO_BUILD");
    }

    @ParameterizedTest
    @ValueSource(strings = { "0", "-1", "two", "99999", "" })
    void carriersThatAreNoNumberAreRefused(String carriers) throws Exception {
        Command command = script("bascule", "run", "--carriers", carriers);
        assertThat(command.status()).isEqualTo(2);
        assertThat(command.err()).contains("carriers must be a whole number");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "unset", value = {
            "C | /another/jdk | JAVA_HOME=/another/jdk LC_ALL=C.UTF-8 own==C",
            "unset | unset | JAVA_HOME=unset LC_ALL=C.UTF-8 own=",
            "'' | '' | JAVA_HOME= LC_ALL=C.UTF-8 own==" })
    void theJvmHasALocaleOfUtf8AndTheUsersOwnIsKept(String locale, String home, String right) throws Exception {
        Path jdk = fakeJdk("jdk", "25.0.1");
        Files.writeString(jdk.resolve("bin/java"), """
                #!/bin/sh
                echo "JAVA_HOME=${JAVA_HOME-unset} LC_ALL=$LC_ALL own=${BASCULE_USER_LC_ALL-unset}"
                """);
        environment.put("BASCULE_JAVA_HOME", jdk.toString());
        if (locale != null) {
            environment.put("LC_ALL", locale);
        }
        if (home != null) {
            environment.put("JAVA_HOME", home);
        }
        assertThat(script("bascule", "--version").out().strip()).isEqualTo(right.strip());
    }

    @ParameterizedTest
    @ValueSource(strings = { "run", "test", "bench", "kernel-example", "house", "bare", "release" })
    void everyScriptHasHelp(String name) throws Exception {
        Command command = script(name, "--help");
        assertThat(command.status()).isZero();
        assertThat(command.out()).contains("scripts/" + name);
    }

    @Test
    void anUnknownLaneIsRefused() throws Exception {
        environment.put("BASCULE_MVN", System.getProperty("bascule.maven", "")); // the user's may be in his real home
        Command command = script("test", "--labs");
        assertThat(command.status()).as(command.err()).isEqualTo(2);
        assertThat(command.err()).contains("unknown option '--labs'").contains("--lab");
    }

    @Test
    void theScriptsAreBashWithoutSyntaxErrors() throws Exception {
        List<Path> files = new ArrayList<>(House.files("scripts"));
        files.addAll(House.files(".ci"));
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            if (House.read(file).startsWith("#!/usr/bin/env bash") || file.toString().endsWith(".sh")) {
                Command command = Command.run(House.BASE, environment, List.of("bash", "-n", file.toString()));
                assertThat(command.err()).as(House.relative(file)).isEmpty();
                assertThat(House.read(file)).as(House.relative(file))
                        .matches("(?s).*(set -euo pipefail|sourced, not run).*");
            }
        }
    }

    private Command script(String name, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(clone.resolve("scripts").resolve(name).toString()));
        words.addAll(List.of(arguments));
        return Command.run(Path.of("/"), environment, words);
    }

    private Path fakeJdk(String name, String version) throws Exception {
        Path home = Files.createDirectories(temporary.resolve(name));
        Path bin = Files.createDirectories(home.resolve("bin"));
        for (String program : List.of("java", "javac")) {
            assertThat(Files.writeString(bin.resolve(program), "#!/bin/sh\nexit 3\n").toFile().setExecutable(true))
                    .isTrue();
        }
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return home;
    }
}
