package dev.bascule.house;

import dev.bascule.nic.Nics;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What another module sees of this one: the exported packages, their visible types, and these types' visible members. */
final class PublicFace {
    /** The study jar's baseline, a file a package. */
    static final Path STUDY = House.BASE.resolve("src/test/resources/api-study");
    private static final Pattern EXPORT = Pattern.compile("^\\s*exports ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern LONG_NAME = Pattern.compile("\\b(dev\\.bascule\\.|java\\.(lang|util)\\.(?=[A-Z]))");
    /** Modifiers that no caller notices. */
    private static final Pattern INSIDE = Pattern.compile("\\b(synchronized|native|strictfp|transient|volatile) ");

    private PublicFace() {}

    /** Packages that are exported to everybody. */
    static Set<String> packages() throws Exception {
        return EXPORT.matcher(Files.readString(House.MAIN.resolve("module-info.java"))).results()
                .map(found -> found.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The study jar's packages for users, which has no module to export them: those that have a file in a folder. */
    static Set<String> study() throws Exception {
        try (Stream<Path> files = Files.list(STUDY)) {
            return files.map(file -> file.getFileName().toString().replace(".txt", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Packages of both jars that users may rely on. */
    static Set<String> promised() throws Exception {
        Set<String> both = new TreeSet<>(packages());
        both.addAll(study());
        return both;
    }

    /** Where the classes under test lie. */
    static Path classes() throws Exception {
        return Path.of(Nics.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    /** The visible types of a package, by name. */
    static List<Class<?>> types(String packageName) throws Exception {
        List<Class<?>> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(classes().resolve(packageName.replace('.', '/')))) {
            for (Path file : (Iterable<Path>) files.sorted()::iterator) {
                String name = file.getFileName().toString();
                if (name.endsWith(".class") && !name.equals("package-info.class")) {
                    Class<?> type = Class.forName(packageName + "." + name.substring(0, name.length() - 6), false,
                            PublicFace.class.getClassLoader());
                    if (isVisible(type)) {
                        found.add(type);
                    }
                }
            }
        }
        return found;
    }

    static boolean isVisible(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return isVisible(type.getModifiers()) && !type.isAnonymousClass() && (outer == null || isVisible(outer));
    }

    private static boolean isVisible(int modifiers) {
        return (modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    }

    /** Lines that say all that a caller can rely on of a type: itself, then its members, sorted. */
    static List<String> describe(Class<?> type) {
        Set<String> members = new TreeSet<>();
        for (Class<?> from = type; from != null; from = hiddenSuper(from)) {
            boolean own = from == type;
            for (Method method : from.getDeclaredMethods()) {
                add(members, method, from, !method.isBridge());
            }
            for (Executable constructor : own ? from.getDeclaredConstructors() : new Executable[0]) {
                add(members, constructor, from, true);
            }
            for (Field field : from.getDeclaredFields()) {
                if (isVisible(field.getModifiers()) && !field.isSynthetic()) {
                    members.add(text(field.toGenericString(), from));
                }
            }
        }
        List<String> lines = new ArrayList<>(List.of(header(type)));
        members.forEach(member -> lines.add("    " + member));
        return lines;
    }

    /** What a class that nobody sees hands down is its subclass's. */
    private static Class<?> hiddenSuper(Class<?> type) {
        Class<?> above = type.getSuperclass();
        return above == null || isVisible(above) ? null : above;
    }

    private static void add(Set<String> members, Executable member, Class<?> from, boolean real) {
        if (real && isVisible(member.getModifiers()) && !member.isSynthetic()) {
            members.add(text(member.toGenericString(), from));
        }
    }

    private static String header(Class<?> type) {
        Stream<Type> superclass = hiddenSuper(type) == null
                ? Stream.ofNullable(type.getGenericSuperclass())
                : Stream.empty();
        String above = Stream.concat(superclass, Arrays.stream(type.getGenericInterfaces())).map(Type::getTypeName)
                .filter(name -> !name.equals("java.lang.Object") && !name.equals("java.lang.Record")).sorted()
                .collect(Collectors.joining(", "));
        return LONG_NAME.matcher(type.toGenericString() + (above.isEmpty() ? "" : " : " + above)).replaceAll("");
    }

    private static String text(String generic, Class<?> from) {
        String plain = INSIDE.matcher(generic).replaceAll("");
        return LONG_NAME.matcher(plain.replace(" " + from.getName() + ".", " ")).replaceAll("");
    }
}
