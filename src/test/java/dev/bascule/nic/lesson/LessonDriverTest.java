package dev.bascule.nic.lesson;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The length of the driver that the page "Drive your RTL" names. */
class LessonDriverTest {
    private static final Path BASE = Path.of(System.getProperty("bascule.baseDirectory", "")).toAbsolutePath();
    private static final int LINES = 200;

    private static String page() throws Exception {
        return Files.readString(BASE.resolve("src/site/markdown/drive-your-rtl.md"));
    }

    private static List<String> sources() throws Exception {
        try (Stream<Path> files = Files.list(BASE.resolve("src/main/java/dev/bascule/nic/lesson"))) {
            return files.map(file -> {
                try {
                    return Files.readString(file);
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }).toList();
        }
    }

    @Test
    void itIsShortAndThePageSaysHowShort() throws Exception {
        long lines = sources().stream().flatMap(String::lines).count();
        assertThat(lines).isPositive().isLessThan(LINES);
        assertThat(page()).contains("The driver is " + lines + " lines of Java");
    }
}
