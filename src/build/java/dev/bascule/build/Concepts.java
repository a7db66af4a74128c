package dev.bascule.build;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExportsTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.ToolProvider;

/**
 * The concepts of main, counted from the sources: {@code CLONE [--check] [--json]}. A source file of the JDK's launcher,
 * so that it runs on a fresh clone. Exit status 1: a count is above its ratchet, or what is listed is not there.
 */
final class Concepts {
    private static final String RATCHETS = "src/build/concepts.txt";
    private static final String GENERATED = "dev/bascule/ffi/generated/";
    private static final String STUDY = "dev.bascule.study";

    /** One line of the table; a ratchet or target below 0: none. */
    private record Row(String name, long now, long ratchet, long target) {}

    /** One line of the ratchet file: a number, its target, and the names that are listed for it. */
    private record Ratchet(long most, long target, Set<String> listed) {}

    /** One source file: its package, its lines, its types and the packages that it exports. */
    private record Source(Path file, String packageName, long lines, List<ClassTree> types, List<String> exports) {
        long publicTypes() {
            return types.stream().filter(type -> type.getModifiers().getFlags().contains(Modifier.PUBLIC)).count();
        }
    }

    private final Path main;
    private final Map<String, Ratchet> ratchets;
    private final List<Source> sources;
    private final List<String> objections = new ArrayList<>();

    private Concepts(Path clone) throws IOException {
        main = clone.resolve("src/main/java");
        ratchets = ratchets(Files.readAllLines(clone.resolve(RATCHETS)));
        sources = sources();
    }

    /** Counts, prints, and ends the process. */
    public static void main(String[] arguments) throws IOException {
        List<String> words = List.of(arguments).subList(1, arguments.length);
        Concepts concepts = new Concepts(Path.of(arguments[0]));
        List<Row> rows = concepts.rows();
        System.out.print(words.contains("--json") ? json(rows) : table(rows));
        if (words.contains("--check")) {
            concepts.check(rows);
            concepts.objections.forEach(System.err::println);
            System.exit(concepts.objections.isEmpty() ? 0 : 1);
        }
    }

    private List<Row> rows() {
        Set<String> exported = sources.stream().flatMap(source -> source.exports.stream())
                .collect(Collectors.toCollection(TreeSet::new));
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("top-level types", sum(source -> source.types.size()));
        counts.put("exported packages", (long) exported.size());
        counts.put("public types in exported packages",
                sum(source -> exported.contains(source.packageName) ? source.publicTypes() : 0));
        counts.put("files in cli", sum(source -> source.packageName.equals("dev.bascule.cli") ? 1 : 0));
        counts.put("lines of the product", sum(source -> isStudy(source) ? 0 : source.lines));
        counts.put("lines of the study wing", sum(source -> isStudy(source) ? source.lines : 0));
        List<Row> rows = new ArrayList<>();
        counts.forEach((name, now) -> rows.add(row(name, now)));
        ratchets.forEach((name, ratchet) -> {
            if (!counts.containsKey(name)) {
                rows.add(row(name, ratchet.listed.stream().filter(this::isThere).count()));
            }
        });
        return rows;
    }

    private Row row(String name, long now) {
        Ratchet ratchet = ratchets.get(name);
        if (ratchet == null) {
            throw new IllegalStateException(RATCHETS + ": no line for '" + name + "'");
        }
        return new Row(name, now, ratchet.most, ratchet.target);
    }

    private long sum(ToLongFunction<Source> part) {
        return sources.stream().mapToLong(part).sum();
    }

    private static boolean isStudy(Source source) {
        return source.packageName.equals(STUDY) || source.packageName.startsWith(STUDY + ".");
    }

    private boolean isThere(String type) {
        return Files.isRegularFile(main.resolve(type.replace('.', '/') + ".java"));
    }

    private void check(List<Row> rows) {
        for (Row row : rows) {
            if (row.ratchet < 0) {
                continue;
            }
            if (row.now > row.ratchet) {
                objections.add(
                        "house: %s: %d, and the ratchet is %d; take one away, or change %s in the same commit and say why"
                                .formatted(row.name, row.now, row.ratchet, RATCHETS));
            } else if (row.now < row.ratchet) {
                System.err.printf("house: %s: %d, lower its ratchet of %d in %s%n", row.name, row.now, row.ratchet,
                        RATCHETS);
            }
        }
        ratchets.forEach((name, ratchet) -> ratchet.listed.stream()
                .filter(one -> !isThere(one))
                .forEach(one -> objections.add("house: %s: %s is not there; take it from %s".formatted(name, one,
                        RATCHETS))));
    }

    /** {@code name | most | target}, then lines that begin with blanks: a name, and the reason after #. */
    private static Map<String, Ratchet> ratchets(List<String> lines) {
        Map<String, Ratchet> found = new LinkedHashMap<>();
        Set<String> listed = new TreeSet<>();
        for (String line : lines) {
            String entry = line.replaceFirst("#.*", "").strip();
            if (entry.isEmpty()) {
                continue;
            }
            if (line.startsWith(" ")) {
                listed.add(entry);
                continue;
            }
            String[] parts = entry.split("\\s*\\|\\s*");
            listed = new TreeSet<>();
            found.put(parts[0], new Ratchet(number(parts[1]), number(parts[2]), listed));
        }
        return found;
    }

    private static long number(String text) {
        return text.equals("-") ? -1 : Long.parseLong(text);
    }

    private List<Source> sources() throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(main)) {
            files = walk.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !main.relativize(file).toString().replace('\\', '/').startsWith(GENERATED)).sorted()
                    .toList();
        }
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            var task = (JavacTask) compiler.getTask(null, manager, null, List.of("-proc:none"), null,
                    manager.getJavaFileObjectsFromPaths(files));
            List<Source> found = new ArrayList<>();
            for (CompilationUnitTree unit : task.parse()) {
                found.add(source(unit));
            }
            return found;
        }
    }

    private static Source source(CompilationUnitTree unit) throws IOException {
        Path file = Path.of(unit.getSourceFile().toUri());
        List<ClassTree> types = new ArrayList<>();
        for (Tree declared : unit.getTypeDecls()) {
            if (declared instanceof ClassTree type) {
                types.add(type);
            }
        }
        List<String> exports = unit.getModule() == null
                ? List.of()
                : unit.getModule().getDirectives().stream()
                        .filter(one -> one instanceof ExportsTree exported && exported.getModuleNames() == null)
                        .map(one -> ((ExportsTree) one).getPackageName().toString()).toList();
        String packageName = unit.getPackageName() == null ? "" : unit.getPackageName().toString();
        try (Stream<String> lines = Files.lines(file)) {
            return new Source(file, packageName, lines.count(), types, exports);
        }
    }

    private static String table(List<Row> rows) {
        StringBuilder text = new StringBuilder(
                String.format(Locale.ROOT, "%-36s %9s %9s %9s%n", "concept", "now", "ratchet", "target"));
        for (Row row : rows) {
            text.append(String.format(Locale.ROOT, "%-36s %,9d %9s %9s%n", row.name, row.now,
                    known(row.ratchet, "", "%,d"), known(row.target, "", "%,d")));
        }
        return text.toString();
    }

    private static String known(long number, String otherwise, String form) {
        return number < 0 ? otherwise : String.format(Locale.ROOT, form, number);
    }

    private static String json(List<Row> rows) {
        return rows.stream().map(row -> "    {\"concept\": \"%s\", \"now\": %d, \"ratchet\": %s, \"target\": %s}"
                .formatted(row.name, row.now, known(row.ratchet, "null", "%d"), known(row.target, "null", "%d")))
                .collect(Collectors.joining(",\n", "{\n  \"concepts\": [\n", "\n  ]\n}\n"));
    }
}
