package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Signals;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs as lanes start them. */
@Tag("process")
class ProgramTest {
    @TempDir
    private Path folder = Path.of("");

    private Program sh(String line) {
        return new Program(folder, folder.resolve("log/of it.log"), List.of("sh", "-c", line));
    }

    @Test
    void outputAndErrorsAreInTheLogAndTheStatusIsTheProgrammes() throws Exception {
        Program program = sh("pwd; echo \"$WORD\" >&2; exit 7").with("WORD", "said");
        assertThat(program.run("test", log -> "")).isEqualTo(7);
        assertThat(program.logged().lines()).containsExactly(folder.toRealPath().toString(), "said");
        assertThat(program.lastLine()).isEqualTo("said");
    }

    @Test
    void whatIsEchoedIsInTheLogTooBehindWhatWasThere() throws Exception {
        assertThat(sh("echo one").run("test", log -> "")).isZero();
        Program second = sh("echo two").echo().append();
        assertThat(second.run("test", log -> "")).isZero();
        assertThat(second.logged()).isEqualTo("one\ntwo\n");
    }

    /** Another program's lines may come between its lines, and not into one. */
    @Test
    void whatIsEchoedComesInWholeLines() throws Exception {
        PrintStream before = System.err;
        List<String> pieces = Collections.synchronizedList(new ArrayList<>());
        System.setErr(new PrintStream(OutputStream.nullOutputStream()) {
            @Override
            public void write(byte[] bytes, int from, int length) {
                pieces.add(new String(bytes, from, length, StandardCharsets.UTF_8));
            }
        });
        try {
            assertThat(sh("printf 'a line '; sleep 0.3; echo in halves; printf 'no end'").echo().run("test", log -> ""))
                    .isZero();
        } finally {
            System.setErr(before);
        }
        assertThat(pieces).containsExactly("a line in halves\n", "no end");
    }

    /** As at Ctrl-C, in a JVM of its own: the program, what it started, and nothing more is started. */
    @Test
    void everythingBeneathEndsWithTheJvm() throws Exception {
        Path child = folder.resolve("child");
        ProcessBuilder builder = new ProcessBuilder(Clone.java(), "-XX:TieredStopAtLevel=1", "-cp",
                System.getProperty("java.class.path"),
                EndsWithIt.class.getName(), folder.toString()).redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile());
        Process jvm = builder.start();
        try {
            while (!Files.exists(child) && jvm.isAlive()) {
                Thread.sleep(20);
            }
            assertThat(child).as(Files.readString(folder.resolve("said"))).exists();
            long beneath = Long.parseLong(Files.readString(child).strip());
            jvm.destroy();
            assertThat(jvm.waitFor()).isEqualTo(143);
            Signals.awaitEnd(beneath);
            assertThat(folder.resolve("next")).doesNotExist();
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** One program whose child says its number, then another that must not start. */
    static final class EndsWithIt {
        private EndsWithIt() {}

        public static void main(String[] arguments) throws Exception {
            Path place = Path.of(arguments[0]);
            Runtime.getRuntime().addShutdownHook(new Thread(Program::endAll));
            try {
                new Program(place, place.resolve("a.log"),
                        List.of("sh", "-c", "sleep 1000 & echo $! >new; mv new child; wait; sleep 1000"))
                        .run("test", log -> "");
            } finally {
                new Program(place, place.resolve("b.log"), List.of("touch", "next")).run("test", log -> "");
            }
        }
    }
}
