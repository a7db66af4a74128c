package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
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
        assertThat(command.err()).contains("no JDK 25 was found").contains("export BASCULE_JAVA_HOME=");
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

    @Test
    void withoutAJarAndWithoutLeaveToBuildItSaysSo() throws Exception {
        Files.delete(clone.resolve("target/bascule.jar"));
        Command command = script("bascule", "--version");
        assertThat(command.status()).isEqualTo(1);
        assertThat(command.err()).contains("unset BASCULE_NO_BUILD");
    }

    @ParameterizedTest
    @ValueSource(strings = { "0", "-1", "two", "99999", "" })
    void carriersThatAreNoNumberAreRefused(String carriers) throws Exception {
        Command command = script("bascule", "run", "--carriers", carriers);
        assertThat(command.status()).isEqualTo(2);
        assertThat(command.err()).contains("carriers must be a whole number");
    }

    @ParameterizedTest
    @ValueSource(strings = { "run", "test", "bench" })
    void everyScriptHasHelp(String name) throws Exception {
        Command command = script(name, "--help");
        assertThat(command.status()).isZero();
        assertThat(command.out()).contains("scripts/" + name);
    }

    /** Surefire says 0 tests and 0 failures at the head of such a report. */
    @Test
    void testsOfNestedClassesAreCountedAndWhatATestPrintsIsNot() throws Exception {
        Path reports = Files.createDirectories(temporary.resolve("reports of tests"));
        Files.writeString(reports.resolve("TEST-a.xml"), """
                <testsuite name="Outer" time="0.1" tests="0" errors="0" skipped="0" failures="0">
                  <testcase name="bad" classname="Outer$A" time="0.1">
                    <failure message="no &lt;good&gt;&#10; word" type="Error"><![CDATA[Error: no
                \tat org.other.Library.call(Library.java:1)
                \tat dev.bascule.Outer.bad(Outer.java:7)
                \tat dev.bascule.Main.main(Main.java:9)
                  <testcase name="printed">
                ]]></failure>
                    <system-out><![CDATA[ ]] > <failure
                  <failure message="printed">
                    <skipped/> ]]></system-out>
                  </testcase>
                  <testcase name="worse" classname="Outer$A" time="0.1">
                    <error message="e" type="Error"><![CDATA[e]]></error>
                  </testcase>
                  <testcase name="good" classname="Outer$B" time="0.1"/>
                  <testcase name="absent" classname="Outer$B" time="0.1">
                    <skipped type="Aborted"><![CDATA[because]]></skipped>
                  </testcase>
                </testsuite>
                """);
        Files.writeString(reports.resolve("TEST-lab.xml"), """
                <testsuite name="lab" tests="2" failures="0" errors="0" skipped="1">
                <testcase classname="a.B" name="c" time="0.1"/>
                <testcase classname="a.B" name="d" time="0.1">
                <skipped message="no device"/>
                </testcase>
                </testsuite>
                """);
        Path summary = temporary.resolve("summary of tests.txt");
        Command command = Command.run(clone, environment, List.of("bash", "-euc",
                "passed=0 failed=0 skipped=0 summary=$2; . scripts/lanes.sh; count \"$1\";"
                        + " echo $tests $failures $skips, $passed $failed $skipped; reasons \"$1\"",
                "count", reports.toString(), summary.toString()));
        String failed = """
                    failed: Outer$A.bad: no <good>  word
                    failed: Outer$A.bad: at dev.bascule.Outer.bad(Outer.java:7)
                    failed: Outer$A.worse: e
                """;
        assertThat(command.out()).as(command.err()).isEqualTo("6 2 2, 2 2 2\n" + failed + """
                    skipped: Outer$B.absent: because
                    skipped: a.B.d: no device
                """);
        assertThat(Files.readString(summary)).as("for the end of CI's output").isEqualTo(failed);
    }

    @Test
    void aProbeThatDoesNotCompileFailsItsLaneByName() throws Exception {
        lookAtDpdk24("printf 'dpdk.c:6: error: no bsd/string.h\\n' >&2; exit 1", "failed "
                + "native/conformance/dpdk.c does not compile: dpdk.c:6: error: no bsd/string.h;");
    }

    @Test
    void withoutACompilerTheLaneThatNeedsOneIsSkippedByName() throws Exception {
        lookAtDpdk24(null, "skipped no C compiler to read its headers with: apt-get install gcc libc6-dev");
    }

    private void lookAtDpdk24(String compiler, String said) throws Exception {
        Path summary = temporary.resolve("summary");
        Path cc = temporary.resolve("cc");
        if (compiler != null) {
            Files.writeString(cc, "#!/bin/sh\n" + compiler + "\n");
            assertThat(cc.toFile().setExecutable(true)).isTrue();
        }
        Files.writeString(clone.resolve("scripts/dpdk-24"), "#!/bin/sh\n[ $1 != -- ] || echo it ran >&2\n");
        environment.put("CC", cc.toString());
        Command command = Command.run(clone, environment, List.of("bash", "-euc",
                "passed=0 failed=0 skipped=0 bad=0 summary=$1; . scripts/lib.sh; . scripts/lanes.sh; dpdk_24_tests",
                "look", summary.toString()));
        assertThat(command.err()).doesNotContain("it ran");
        assertThat(Files.readString(summary)).as(command.err()).startsWith("dpdk-24 " + said);
    }

    @Test
    void anUnknownLaneIsRefused() throws Exception {
        Command command = script("test", "--labs");
        assertThat(command.status()).isEqualTo(2);
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
