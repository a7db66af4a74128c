package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What users can rely on is written down, a file a package, and compared: what is gone breaks somebody, what is new is a
 * promise. Both are made on purpose, by running this test with {@code -Dbascule.api=add} or {@code -Dbascule.api=break}.
 * The product's packages are those that its module exports; the study jar has no module, and its packages for users are
 * those that have a file.
 */
class ApiBaselineTest {
    private static final Path PRODUCT = House.BASE.resolve("src/test/resources/api");
    private static final String MODE = System.getProperty("bascule.api", "");
    private static final String COMMAND = "mvn test -Dtest=ApiBaselineTest -Dbascule.api=";

    @Test
    void thePublicApiIsAsWrittenDown() throws Exception {
        holds(PRODUCT, PublicFace.packages());
    }

    @Test
    void theStudyJarsApiIsAsWrittenDown() throws Exception {
        Set<String> packages = PublicFace.study();
        assertThat(packages).isNotEmpty().allMatch(Layers::isStudy);
        holds(PublicFace.STUDY, packages);
    }

    private static void holds(Path baseline, Set<String> packages) throws Exception {
        List<String> gone = new ArrayList<>();
        List<String> added = new ArrayList<>();
        for (String name : packages) {
            compare(baseline, name, lines(name), gone, added);
        }
        names(baseline).stream().filter(name -> !packages.contains(name)).forEach(name -> gone.add("package " + name));
        if (MODE.equals("break") || MODE.equals("add") && gone.isEmpty()) {
            write(baseline, packages);
            return;
        }
        assertThat(gone).as("gone from what users can call; keep it, or if they are to be broken: %sbreak", COMMAND)
                .isEmpty();
        assertThat(added).as("new in what users can call; hide it, or if it is a promise write it down: %sadd", COMMAND)
                .isEmpty();
    }

    @Test
    void aMemberThatGoesOrComesIsSeen() {
        List<String> then = List.of("public class A", "    public void one()", "    public void two()",
                "public class B", "    public void one()");
        List<String> now = List.of("public class A", "    public void one()", "public class B",
                "    public void one()", "    public void two()");
        assertThat(minus(then, now)).containsExactly("public class A: public void two()");
        assertThat(minus(now, then)).containsExactly("public class B: public void two()");
    }

    @Test
    void aTypeIsDescribedByWhatItsUsersSee() {
        assertThat(PublicFace.describe(Sample.class)).containsExactly(
                "public abstract static class house.ApiBaselineTest$Sample : Comparable<String>",
                "    protected house.ApiBaselineTest$Sample(int)",
                "    public List<String> handedDown()",
                "    public int compareTo(String)",
                "    public static final int SIZE");
    }

    abstract static class Hidden {
        public List<String> handedDown() {
            return List.of();
        }
    }

    /** Has one of each. */
    public abstract static class Sample extends Hidden implements Comparable<String> {
        /** A constant. */
        public static final int SIZE = 1;
        private final int number;

        /** For subclasses. */
        protected Sample(int number) {
            this.number = number;
        }

        @Override
        public synchronized int compareTo(String other) {
            return number;
        }

        void own() {}
    }

    private static void compare(Path baseline, String name, List<String> now, List<String> gone, List<String> added)
            throws Exception {
        Path file = baseline.resolve(name + ".txt");
        List<String> then = Files.exists(file) ? Files.readAllLines(file) : List.of();
        gone.addAll(minus(then, now));
        added.addAll(minus(now, then));
    }

    private static List<String> minus(List<String> these, List<String> those) {
        Set<String> rest = full(these);
        rest.removeAll(full(those));
        return List.copyOf(rest);
    }

    /** Each member with its type before it. */
    private static Set<String> full(List<String> lines) {
        Set<String> all = new LinkedHashSet<>();
        String type = "";
        for (String line : lines) {
            if (line.startsWith(" ")) {
                all.add(type + ": " + line.strip());
            } else {
                type = line.replaceFirst(" : .*", "");
                all.add(line);
            }
        }
        return all;
    }

    private static List<String> lines(String packageName) throws Exception {
        List<String> lines = new ArrayList<>();
        for (Class<?> type : PublicFace.types(packageName)) {
            lines.addAll(PublicFace.describe(type));
        }
        return lines;
    }

    /** Packages that have a file. */
    private static Set<String> names(Path baseline) throws Exception {
        if (!Files.isDirectory(baseline)) {
            return Set.of();
        }
        try (Stream<Path> all = Files.list(baseline)) {
            return all.map(file -> file.getFileName().toString().replace(".txt", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static void write(Path baseline, Set<String> packages) throws Exception {
        Files.createDirectories(baseline);
        for (String name : names(baseline)) {
            Files.delete(baseline.resolve(name + ".txt"));
        }
        for (String name : packages) {
            Files.write(baseline.resolve(name + ".txt"), lines(name));
        }
    }
}
