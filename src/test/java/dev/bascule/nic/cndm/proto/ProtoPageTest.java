package dev.bascule.nic.cndm.proto;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page "Write a driver" reads the driver's sources, and the driver stays one for a sitting. */
class ProtoPageTest {
    private static final Path BASE = Path.of(System.getProperty("bascule.baseDirectory", "")).toAbsolutePath();
    private static final int LINES = 450;
    private static final int FILES = 4;

    private static String page() throws IOException {
        return Files.readString(BASE.resolve("src/site/markdown/write-a-driver.md"));
    }

    private static List<String> sources() throws IOException {
        try (Stream<Path> files = Files.list(BASE.resolve("src/main/java/dev/bascule/nic/cndm/proto"))) {
            return files.filter(file -> !file.endsWith("package-info.java")).map(file -> {
                try {
                    return Files.readString(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }).toList();
        }
    }

    @Test
    void driverIsReadInOneSittingAndThePageSaysHowLong() throws IOException {
        long lines = sources().stream().flatMap(String::lines).count();
        assertThat(lines).isPositive().isLessThanOrEqualTo(LINES);
        assertThat(sources()).hasSize(FILES);
        assertThat(page()).contains("has " + lines + " lines in four files");
    }

    @Test
    void codeOnThePageIsThatOfTheDriver() throws IOException {
        String all = String.join("", sources());
        List<String> shown = Pattern.compile("(?s)```java\n(.*?)```").matcher(page()).results()
                .map(block -> block.group(1)).toList();
        assertThat(shown).hasSizeGreaterThanOrEqualTo(10).allSatisfy(block -> assertThat(all).contains(block));
    }

    /** A method that is added has to be explained. */
    @Test
    void pageShowsOrNamesEveryMethodOfTheRing() throws IOException {
        String page = page();
        for (Class<?> part : List.of(ProtoRing.class, ProtoPort.class)) {
            assertThat(Stream.of(part.getDeclaredMethods()).filter(method -> !method.isSynthetic())
                    .map(method -> method.getName())).allSatisfy(name -> assertThat(page).contains(name));
        }
    }
}
