package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What accumulates when nobody looks. Counts have a ratchet in {@code tidy.ratchets}: one that falls is lowered there, one
 * that rises is a finding, unless the same commit raises it and says why.
 */
class TidyTest {
    private static final Path RATCHETS = House.BASE.resolve("src/test/resources/dev/bascule/house/tidy.ratchets");
    private static final int MOST_COLUMNS = 120;
    private static final Pattern JAVADOC = Pattern.compile("/\\*\\*\\s*(?:\\*\\s*)?(\\S+(?: +\\S+)?)");
    private static final Pattern NO_NOUN = Pattern.compile("(?:Who|What|Whom|Whose|Its|Which|The same)\\b.*");
    private static final Pattern SENTENCE = Pattern.compile("[a-z][a-zA-Z0-9_]*");
    private static final Pattern TEST_METHOD = Pattern.compile(
            "@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\\b(?:[^;{]|\\{[^{}]*\\})*?\\bvoid (\\w+)\\(");

    private static JavaClasses main = new ClassFileImporter().importClasses();
    private static Set<String> calledInMain = Set.of();
    private static Set<String> calledInTests = Set.of();

    @BeforeAll
    static void readTheClasses() {
        main = new ClassFileImporter().importPath(House.BUILD.resolve("classes"));
        calledInMain = called(main);
        calledInTests = called(new ClassFileImporter().importPath(House.BUILD.resolve("test-classes")));
    }

    @Test
    void javadocBeginsWithItsNoun() {
        holds("javadoc that begins with no noun", withoutNoun(handWritten()));
    }

    @Test
    void javadocOfTestsBeginsWithItsNoun() {
        holds("javadoc of tests that begins with no noun", withoutNoun(Stream.of("src/test/java", "src/jmh/java")
                .flatMap(folder -> House.files(folder, ".java").stream()).toList()));
    }

    private static List<String> withoutNoun(List<Path> files) {
        List<String> found = new ArrayList<>();
        for (Path file : files) {
            String text = House.read(file);
            for (Matcher comment = JAVADOC.matcher(text); comment.find();) {
                if (NO_NOUN.matcher(comment.group(1)).matches()) {
                    found.add(at(file, text, comment.start()) + " " + comment.group(1));
                }
            }
        }
        return found;
    }

    @Test
    void theLintTellsANounFromAPronoun() {
        assertThat(List.of("/** What it does. */", "/**\n * Who did it.\n */", "/** The same for one. */",
                "/** Its end. */"))
                .allSatisfy(text -> assertThat(begins(text)).matches(NO_NOUN.pattern()));
        assertThat(List.of("/** The end. */", "/** Whatever comes. */", "/** Items. */"))
                .allSatisfy(text -> assertThat(begins(text)).doesNotMatch(NO_NOUN.pattern()));
    }

    @Test
    void linesEndBeforeTheirLastColumn() {
        List<String> found = new ArrayList<>();
        for (Path file : handWritten()) {
            int number = 0;
            for (String line : House.read(file).lines().toList()) {
                number++;
                if (line.length() > MOST_COLUMNS) {
                    found.add(House.relative(file) + ":" + number);
                }
            }
        }
        holds("lines longer than 120 columns", found);
    }

    @Test
    void mainHasNoMethodsForTestsAlone() {
        holds("methods that only tests call",
                uncalled().filter(method -> calledInTests.contains(key(method))).map(TidyTest::key).toList());
    }

    @Test
    void mainHasNoMethodsForNobody() {
        holds("methods that nobody calls",
                uncalled().filter(method -> !calledInTests.contains(key(method))).map(TidyTest::key).toList());
    }

    @Test
    void everyTypeOfMainIsUsedInMainOrListedWithAReason() throws Exception {
        Set<String> used = new TreeSet<>();
        for (JavaClass type : main) {
            type.getDirectDependenciesFromSelf().forEach(to -> {
                if (!top(to.getTargetClass()).equals(top(type))) {
                    used.add(top(to.getTargetClass()));
                }
            });
        }
        Set<String> unused = new TreeSet<>();
        Set<String> exported = PublicFace.promised();
        for (JavaClass type : main) {
            boolean isPromise = exported.contains(type.getPackageName())
                    && type.getModifiers().contains(JavaModifier.PUBLIC);
            if (type.isTopLevelClass() && !type.getSimpleName().endsWith("-info") && !used.contains(type.getName())
                    && !isPromise && !isConstants(type)) {
                unused.add(type.getName());
            }
        }
        assertThat(unused)
                .as("types that no other type of main uses; delete them, or say in unused-types.allow who does")
                .isEqualTo(new TreeSet<>(House.allowed("unused-types.allow")));
    }

    @Test
    void classesWithTestsAreFoundByTheBuildAndTheirNamesAreSentences() {
        List<String> found = new ArrayList<>();
        for (Path file : House.files("src/test/java", ".java")) {
            String text = House.read(file);
            boolean some = false;
            for (Matcher method = TEST_METHOD.matcher(text); method.find();) {
                some = true;
                if (!SENTENCE.matcher(method.group(1)).matches()) {
                    found.add(at(file, text, method.start()) + " " + method.group(1));
                }
            }
            String name = file.getFileName().toString().replace(".java", "");
            if (some && !name.endsWith("Test") && !text.contains("abstract class " + name)
                    && !text.contains("interface " + name)) {
                found.add(House.relative(file) + ": not called *Test, the build passes it over");
            }
        }
        assertThat(found).isEmpty();
    }

    /** Methods without a caller in main that are no promise, override nothing, and that no framework calls by reflection. */
    private static Stream<JavaMethod> uncalled() {
        Set<String> exported;
        try {
            exported = PublicFace.promised();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return main.stream().filter(type -> !type.getPackageName().startsWith("dev.bascule.ffi.generated"))
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> !calledInMain.contains(key(method)) && !overrides(method)
                        && !isMade(method) && !isPromise(method, exported));
    }

    private static boolean isPromise(JavaMethod method, Set<String> exported) {
        JavaClass owner = method.getOwner();
        return exported.contains(owner.getPackageName()) && isVisible(method.getModifiers())
                && isVisible(owner.getModifiers())
                && owner.getEnclosingClass().map(outer -> isVisible(outer.getModifiers())).orElse(true);
    }

    private static boolean isVisible(Set<JavaModifier> modifiers) {
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }

    /** Methods that the compiler makes, that picocli or native code calls, or that are a record's accessors. */
    private static boolean isMade(JavaMethod method) {
        JavaClass owner = method.getOwner();
        return method.getModifiers().contains(JavaModifier.SYNTHETIC) || method.getModifiers().contains(
                JavaModifier.BRIDGE) || !method.getAnnotations().isEmpty() || method.getName().contains("$")
                || method.getName().equals("main") || owner.isEnum() && Set.of("values", "valueOf").contains(method
                        .getName())
                || owner.isRecord() && method.getRawParameterTypes().isEmpty()
                        && owner.getFields().stream().anyMatch(field -> field.getName().equals(method.getName()));
    }

    private static boolean overrides(JavaMethod method) {
        JavaClass owner = method.getOwner();
        Stream<JavaClass> above = Stream.concat(owner.getAllRawSuperclasses().stream(),
                owner.getAllRawInterfaces().stream());
        return above.anyMatch(type -> type.getMethods().stream().anyMatch(one -> one.getName().equals(method.getName())
                && one.getRawParameterTypes().size() == method.getRawParameterTypes().size()));
    }

    /** The methods that classes call or refer to, by the class that a call names and all of its supertypes. */
    private static Set<String> called(JavaClasses classes) {
        Set<String> called = new TreeSet<>();
        for (JavaClass type : classes) {
            Stream.of(type.getMethodCallsFromSelf(), type.getMethodReferencesFromSelf()).flatMap(Set::stream)
                    .forEach((JavaAccess<?> access) -> {
                        JavaClass owner = access.getTargetOwner();
                        String name = access.getTarget().getName() + "/" + parameters(access);
                        called.add(owner.getName() + "." + name);
                        owner.getAllRawSuperclasses().forEach(one -> called.add(one.getName() + "." + name));
                        owner.getAllRawInterfaces().forEach(one -> called.add(one.getName() + "." + name));
                    });
        }
        return called;
    }

    private static int parameters(JavaAccess<?> access) {
        return ((com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget) access.getTarget())
                .getRawParameterTypes().size();
    }

    private static String key(JavaMethod method) {
        return method.getOwner().getName() + "." + method.getName() + "/" + method.getRawParameterTypes().size();
    }

    private static String top(JavaClass type) {
        JavaClass outer = type.getBaseComponentType();
        while (outer.getEnclosingClass().isPresent()) {
            outer = outer.getEnclosingClass().get();
        }
        return outer.getName();
    }

    /** Whether the type is numbers alone: the compiler copies them, and no trace of their use is left. */
    private static boolean isConstants(JavaClass type) {
        return type.getMethods().isEmpty() && type.getFields().stream().anyMatch(field -> field.getModifiers().contains(
                JavaModifier.STATIC));
    }

    private static void holds(String name, List<String> found) {
        Map<String, Integer> ratchets = new HashMap<>();
        for (String line : House.read(RATCHETS).lines().toList()) {
            String[] parts = line.split(" \\| ");
            ratchets.put(parts[0], Integer.valueOf(parts[1].strip()));
        }
        assertThat(ratchets).containsKey(name);
        int most = ratchets.get(name);
        found.forEach(one -> System.out.println(name + ": " + one));
        assertThat(found.size())
                .as("%s; the test's output lists them: mend the new ones, or change %s in the same commit and"
                        + " say why", name, House.relative(RATCHETS))
                .isLessThanOrEqualTo(most);
        if (found.size() < most) {
            System.out.println(name + ": lower the ratchet of " + most + " to " + found.size());
        }
    }

    private static String begins(String text) {
        Matcher comment = JAVADOC.matcher(text);
        assertThat(comment.find()).isTrue();
        return comment.group(1);
    }

    private static String at(Path file, String text, int index) {
        return House.relative(file) + ":" + (text.substring(0, index).lines().count() + 1);
    }

    private static List<Path> handWritten() {
        return House.files("src/main/java", ".java").stream().filter(file -> !House.isGenerated(file)).toList();
    }
}
