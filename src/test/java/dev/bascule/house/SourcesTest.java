package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class SourcesTest {
    private static final int MOST_METHOD_LINES = 60;
    private static final Pattern LEFT_OVER = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");

    private static final Pattern KEPT_ADDRESS = Pattern
            .compile("(?m)^ +(?:private final long |this\\.)?(\\w+) = (?:\\(.+\\) )?(\\w+)\\.address\\(\\)");

    @Test
    void noMethodIsLongerThanSixtyLines() throws Exception {
        List<String> tooLong = new ArrayList<>();
        for (Methods.Extent method : Methods.of(handWritten("src/main/java"))) {
            if (method.lines() > MOST_METHOD_LINES) {
                tooLong.add(method.file() + ":" + method.firstLine() + " " + method.name() + ": " + method.lines()
                        + " lines");
            }
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void thePublicApiIsDocumented() throws Exception {
        List<String> bare = new ArrayList<>();
        for (Methods.Extent method : Methods.of(handWritten("src/main/java"))) {
            if (method.needsDocumentation() && !method.documented()) {
                bare.add(method.file() + ":" + method.firstLine() + " " + method.name());
            }
        }
        assertThat(bare).as("public, without Javadoc").isEmpty();
    }

    @Test
    void everyPackageIsNullMarkedAndDescribed() {
        Set<String> folders = new TreeSet<>();
        for (Path file : handWritten("src/main/java")) {
            if (!file.getFileName().toString().equals("module-info.java")) {
                folders.add(House.relative(file.getParent()));
            }
        }
        for (String folder : folders) {
            Path info = House.BASE.resolve(folder).resolve("package-info.java");
            assertThat(info).isRegularFile();
            assertThat(House.read(info)).as(folder).contains("/**").contains("@NullMarked");
        }
        assertThat(folders).isNotEmpty();
    }

    /** Ports that are closed in a loop of one's own stay open behind the first one that fails: NicAdapter.closeAll. */
    @Test
    void adaptersOfCardsCloseTheirPortsInOneWay() {
        List<Path> adapters = handWritten("src/main/java").stream()
                .filter(file -> House.read(file).contains(" implements NicAdapter")).toList();
        assertThat(adapters).hasSizeGreaterThan(2)
                .noneMatch(file -> House.read(file).contains("setBusMaster(false)"));
    }

    /** A field that is a memory's address, and no field that keeps the memory, writes into what is freed. */
    @Test
    void whoeverKeepsAnAddressKeepsItsMemory() {
        List<String> lost = new ArrayList<>();
        int seen = 0;
        for (Path file : handWritten("src/main/java")) {
            String text = House.read(file);
            for (Matcher kept = KEPT_ADDRESS.matcher(text); kept.find();) {
                boolean isField = Pattern.compile("(?m)^    (?:private )?(?:final )?long " + kept.group(1) + "\\b")
                        .matcher(text).find();
                seen += isField ? 1 : 0;
                if (isField
                        && !Pattern.compile("(?m)^    (?:private )?final (?!long)[\\w.<>]+ " + kept.group(2) + "\\b")
                                .matcher(text).find()) {
                    lost.add(House.relative(file) + ": " + kept.group().strip());
                }
            }
        }
        assertThat(seen).as("fields that are addresses").isGreaterThan(5);
        assertThat(lost).isEmpty();
    }

    /** A machine of a user has no program {@code kill}: it is part of a package, and in shells built in. */
    @Test
    void testsSendSignalsThemselves() {
        assertThat(handWritten("src/test/java").stream()
                .filter(file -> House.read(file).contains("ProcessBuilder(\"kill" + "\"")).map(House::relative))
                .isEmpty();
    }

    @Test
    void nothingIsLeftForLater() {
        List<String> left = new ArrayList<>();
        List<Path> files = new ArrayList<>();
        for (String folder : List.of("src", "scripts", "native", "hw-configs")) {
            files.addAll(House.files(folder));
        }
        for (Path file : files) {
            if (House.isGenerated(file) || file.toString().matches(".*\\.(bin|png|pcap|gz|hex)")) {
                continue;
            }
            int number = 0;
            for (String line : House.read(file).lines().toList()) {
                number++;
                if (LEFT_OVER.matcher(line).find()) {
                    left.add(House.relative(file) + ":" + number + ": " + line.strip());
                }
            }
        }
        assertThat(left).isEmpty();
    }

    private static List<Path> handWritten(String folder) {
        return House.files(folder, ".java").stream().filter(f -> !House.isGenerated(f)).toList();
    }
}
