package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code /proc} says is bytes: one class reads it. */
class ProcReadersTest {
    private static final Pattern NAMES_PROC = Pattern.compile("\"/proc|\\bproc\\b|[Cc]group\\.procs");
    /**
     * Each decodes, or ends lines at a carriage return too; bytes by {@code readAllBytes} are on their way to become
     * text.
     */
    private static final Pattern READS_TEXT = Pattern
            .compile("Files\\s*\\.\\s*(readString|readAllLines|readAllBytes|lines|newBufferedReader)\\s*\\("
                    + "|new (java\\.\\w+\\.)?(Scanner|FileReader|InputStreamReader|FileInputStream)\\s*\\((?!\"/dev/)"
                    + "|\\btext\\([^)]*proc[^)]*\\)+\\.lines\\(");

    @Test
    void whoNamesProcReadsTextByTheOneReader() throws IOException {
        try (Stream<Path> sources = Files.walk(House.MAIN)) {
            assertThat(sources.filter(file -> file.toString().endsWith(".java"))
                    .filter(ProcReadersTest::offends).toList())
                    .as("classes that read /proc as text: KernelText does it").isEmpty();
        }
    }

    private static boolean offends(Path file) {
        try {
            String text = Files.readString(file);
            return NAMES_PROC.matcher(text).find() && READS_TEXT.matcher(text).find();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "Files.readAllLines(maps)", "Files.readString(maps)", "Files.lines(maps)",
            "new String(Files.readAllBytes(maps), UTF_8)", "Files\n                .readAllBytes(maps)",
            "Files.newBufferedReader(maps)", "new Scanner(maps)", "new java.util.Scanner(maps)",
            "new FileReader(maps.toFile())", "new FileInputStream(\"/proc/self/maps\")",
            "new InputStreamReader(Files.newInputStream(maps))", "text(proc.resolve(\"net/route\")).lines()" })
    void theRuleSeesAReader(String reader) {
        assertThat(READS_TEXT.matcher(reader).find()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "KernelText.lines(maps)", "KernelText.read(maps)", "new FileInputStream(\"/dev/null\")",
            "new RandomAccessFile(\"/proc/self/pagemap\", \"r\")" })
    void andNoneWhereThereIsNone(String other) {
        assertThat(READS_TEXT.matcher(other).find()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "Path.of(\"/proc/self/maps\")", "proc.resolve(\"net/route\")", "\"cgroup.procs\"" })
    void theRuleSeesANameOfProc(String name) {
        assertThat(NAMES_PROC.matcher(name).find()).isTrue();
    }
}
