package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What {@code /proc} says is bytes: one class reads it. */
class ProcReadersTest {
    private static final Pattern NAMES_PROC = Pattern.compile("\"/proc|\\bproc\\b|[Cc]group\\.procs");
    private static final Pattern READS_TEXT = Pattern
            .compile(
                    "Files\\.(readString|readAllLines|lines|newBufferedReader)\\(|\\btext\\([^)]*proc[^)]*\\)+\\.lines\\(");

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

    @Test
    void theRuleSeesAReader() {
        assertThat(NAMES_PROC.matcher("Path.of(\"/proc/self/maps\")").find()).isTrue();
        assertThat(READS_TEXT.matcher("Files.readAllLines(maps)").find()).isTrue();
        assertThat(READS_TEXT.matcher("text(proc.resolve(\"net/route\")).lines()").find()).isTrue();
        assertThat(READS_TEXT.matcher("KernelText.lines(maps)").find()).isFalse();
    }
}
