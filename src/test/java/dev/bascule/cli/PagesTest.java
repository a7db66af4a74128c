package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** What the pages name exists: commands, their options, classes and their members, links to pages. */
class PagesTest {
    private static final Path ROOT = Path.of(System.getProperty("bascule.baseDirectory", "."));
    private static final Path PAGES = ROOT.resolve("src/site/markdown");
    private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`]+`");
    private static final Pattern CALL = Pattern.compile("(?:scripts/|\\b|\\$ )bascule ([a-z]+)((?: +[^\\s`|;]+)*)");
    private static final Pattern NAME = Pattern.compile(
            "(?<![\\w.$/:@+-])([A-Z][a-z]+\\w*)(?:\\.([a-zA-Z]\\w*))?(?![\\w:<-]|\\.[a-z])");
    private static final Pattern COMMENT = Pattern.compile("(?s)<!--(.*?)-->");
    private static final Pattern LINK = Pattern.compile("\\]\\(([\\w-]+\\.md)(?:#[\\w-]+)?\\)");
    private static final Pattern IMAGE = Pattern.compile("\\]\\((images/[^)]+)\\)");
    private static final Pattern FILE = Pattern.compile("\\]\\(((?!https?:)[^)#]+)");
    private static final Pattern READER = Pattern.compile("## (.+)");
    private static final Pattern LISTED = Pattern
            .compile("\\| \\[(?<name>[^\\]]+)\\]\\((?<page>[\\w-]+)\\.md\\) \\|.*");
    private static final Pattern MENU = Pattern.compile(" *<menu name=\"([^\"]+)\">");
    private static final Pattern ITEM = Pattern.compile(
            " *<item name=\"(?<name>[^\"]+)\" href=\"(?!index)(?<page>[\\w-]+)\\.html\"/>");
    /** Groups of readers at the head of the index; behind them comes what is everybody's. */
    private static final int READERS = 6;
    /** Whole pages whose every name is checked: those that send their reader from one API to another. */
    private static final Set<String> STRICT = Set.of("from-ghost.md", "from-sched-ext.md", "production.md");
    /** Names of other projects that these pages set beside ours. */
    private static final Set<String> FOREIGN = Set.of("MyScheduler", "BasicDispatchScheduler", "MyTask", "MyAgent",
            "LocalAgent", "FullAgent", "FullMyAgent", "MyPolicy", "ThreadSafeMallocTaskAllocator", "EnclaveReady",
            "DiscoverTasks",
            "GetAgent", "CpuList", "AgentThread", "TaskNew", "Task", "Commit", "Submit", "CommitRunRequests",
            "SyncCommit", "LocalYield", "PickNextGlobalCPU", "PrioTable", "Bazel", "Maven", "Map", "Fifo", "Override",
            "String", "Prometheus", "Perfetto", "Sejf", "Ctrl", "Channel", "Open", "GetRunRequest", "Abort", "Consume",
            "Simulated");

    private static final Map<String, List<Class<?>>> CLASSES = new HashMap<>();
    private static final Map<String, Set<String>> OPTIONS = new HashMap<>();

    @BeforeAll
    static void know() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("src/main/java"))) {
            for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
                String name = ROOT.resolve("src/main/java").relativize(file).toString().replace('/', '.');
                if (!name.contains("-info")) {
                    learn(name.substring(0, name.length() - ".java".length()));
                }
            }
        }
        CommandLine all = Main.commandLine();
        for (String command : Commands.names()) {
            CommandLine line = all.getSubcommands().get(command);
            Set<String> names = new HashSet<>();
            collect(line, names);
            OPTIONS.put(command, names);
        }
    }

    private static void learn(String name) {
        try {
            Class<?> found = Class.forName(name, false, PagesTest.class.getClassLoader());
            CLASSES.computeIfAbsent(found.getSimpleName(), key -> new ArrayList<>()).add(found);
            for (Class<?> inner : found.getDeclaredClasses()) {
                CLASSES.computeIfAbsent(inner.getSimpleName(), key -> new ArrayList<>()).add(inner);
            }
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            return; // needs a library that is not on this class path
        }
    }

    private static void collect(CommandLine line, Set<String> names) {
        line.getCommandSpec().options().forEach(option -> names.addAll(Arrays.asList(option.names())));
        line.getSubcommands().values().forEach(sub -> collect(sub, names));
    }

    static Stream<String> pages() throws IOException {
        try (Stream<Path> files = Files.list(PAGES)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList().stream();
        }
    }

    private static String read(String page) {
        try {
            return Files.readString(PAGES.resolve(page));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String code(String page) {
        return CODE.matcher(read(page)).results().map(found -> found.group().replaceAll("\\\\\\s*\\n\\s*", " "))
                .collect(Collectors.joining("\n"));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void commandsAndTheirOptionsExist(String page) {
        List<String> wrong = new ArrayList<>();
        for (Matcher call = CALL.matcher(code(page)); call.find();) {
            Set<String> options = OPTIONS.get(call.group(1));
            if (options == null) {
                wrong.add("no command: " + call.group());
                continue;
            }
            for (String word : call.group(2).trim().split("\\s+")) {
                String option = word.replaceAll("[=\\[(),.'].*", "");
                if (option.equals("--")) {
                    break; // another program's
                }
                if (option.startsWith("--") && !options.contains(option)) {
                    wrong.add("no option " + option + " in: " + call.group());
                }
            }
        }
        assertThat(wrong).as(page).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void optionsThatStandAloneAreThoseOfSomeCommandOrScript(String page) throws IOException {
        Set<String> known = new HashSet<>();
        OPTIONS.values().forEach(known::addAll);
        StringBuilder scripts = new StringBuilder();
        try (Stream<Path> files = Files.walk(ROOT.resolve("scripts"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                scripts.append(Files.readString(file));
            }
        }
        Set<String> wrong = new TreeSet<>();
        for (Matcher inline = Pattern.compile("`(--[a-z][a-z-]*)").matcher(read(page)); inline.find();) {
            String option = inline.group(1);
            if (!known.contains(option) && !scripts.toString().contains(option) && !lanes().contains(option)) {
                wrong.add(option);
            }
        }
        assertThat(wrong).as(page).isEmpty();
    }

    private static String lanes() throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.walk(ROOT.resolve("src/test/java/dev/bascule/lanes"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                text.append(Files.readString(file));
            }
        }
        return text.toString();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void membersOfClassesExist(String page) {
        List<String> wrong = new ArrayList<>();
        for (Matcher name = NAME.matcher(code(page)); name.find();) {
            List<Class<?>> classes = CLASSES.get(name.group(1));
            String member = name.group(2);
            if (classes == null) {
                if (STRICT.contains(page) && !FOREIGN.contains(name.group(1))) {
                    wrong.add("no class: " + name.group());
                }
            } else if (member != null && classes.stream().noneMatch(one -> has(one, member))) {
                wrong.add("no member: " + name.group());
            }
        }
        assertThat(wrong).as(page).isEmpty();
    }

    private static boolean has(Class<?> type, String member) {
        if (member.equals("java") || member.equals("class")) {
            return true;
        }
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            Stream<String> names = Stream.of(
                    Arrays.stream(at.getDeclaredMethods()).map(Method::getName),
                    Arrays.stream(at.getDeclaredFields()).map(Field::getName),
                    Arrays.stream(at.getDeclaredClasses()).map(Class::getSimpleName)).flatMap(all -> all);
            if (names.anyMatch(member::equals)) {
                return true;
            }
        }
        return Arrays.stream(type.getMethods()).anyMatch(method -> method.getName().equals(member));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void pagesThatAreLinkedExist(String page) {
        for (Matcher link = LINK.matcher(read(page)); link.find();) {
            assertThat(PAGES.resolve(link.group(1))).as(page).exists();
        }
        for (Matcher image = IMAGE.matcher(read(page)); image.find();) {
            assertThat(PAGES.resolveSibling("resources").resolve(image.group(1))).as(page).exists();
        }
    }

    /** XML, which the site is built by way of, allows no two dashes within a comment. */
    @ParameterizedTest
    @MethodSource("pages")
    void commentsHaveNoTwoDashes(String page) {
        assertThat(COMMENT.matcher(read(page)).results().map(found -> found.group(1))
                .filter(text -> text.contains("--"))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void aPageBeginsWithItsOnlyTitle(String page) {
        List<String> titles = read(page).replaceAll("(?s)```.*?```", "").lines().filter(line -> line.startsWith("# "))
                .toList();
        assertThat(titles).as(page).hasSize(1);
        assertThat(read(page)).as(page).startsWith(titles.getFirst());
    }

    @Test
    void noTwoPagesHaveOneTitle() throws IOException {
        assertThat(pages().map(page -> read(page).lines().findFirst().orElse(""))).doesNotHaveDuplicates();
    }

    /** Entries of a list by who they are for: {@code "tutorial.md A policy"} under {@code "Agent writers"}. */
    private static LinkedHashMap<String, List<String>> entries(String text, Pattern who, Pattern entry) {
        LinkedHashMap<String, List<String>> entries = new LinkedHashMap<>();
        for (String line : text.lines().toList()) {
            Matcher reader = who.matcher(line);
            Matcher one = entry.matcher(line);
            if (reader.matches()) {
                entries.put(reader.group(1), new ArrayList<>());
            } else if (one.matches() && !entries.isEmpty()) {
                entries.lastEntry().getValue().add(one.group("page") + ".md " + one.group("name"));
            }
        }
        entries.values().removeIf(List::isEmpty);
        return entries;
    }

    private static LinkedHashMap<String, List<String>> index() {
        return entries(read("index.md"), READER, LISTED);
    }

    @Test
    void theMenuHasThePagesOfTheIndexByReaderAndInItsOrder() throws IOException {
        String menu = Files.readString(ROOT.resolve("src/site/site.xml"));
        assertThat(List.copyOf(entries(menu, MENU, ITEM).entrySet())).isEqualTo(List.copyOf(index().entrySet()));
        assertThat(index().keySet()).startsWith("Agent writers", "Driver writers", "CI users", "Testbed owners",
                "Researchers", "Operators");
    }

    @Test
    void everyPageIsInTheIndexOnce() throws IOException {
        assertThat(index().values().stream().flatMap(List::stream).map(entry -> entry.split(" ")[0]))
                .containsExactlyInAnyOrderElementsOf(pages().filter(page -> !page.equals("index.md")).toList());
    }

    /** The first page that the index names to a reader says what Bascule does for him, and a command that is run. */
    @Test
    void theFirstPageOfAReaderBeginsWithACommandThatWorks() throws IOException {
        assertThat(index()).hasSizeGreaterThan(READERS);
        for (List<String> pages : index().values().stream().limit(READERS).toList()) {
            String page = pages.getFirst().split(" ")[0];
            String begin = read(page).split("(?m)^## ")[0];
            assertThat(begin.lines().skip(1).dropWhile(String::isBlank).findFirst().orElse("")).as(page)
                    .matches("[A-Z`].{40,}");
            int lines = (int) begin.lines().count();
            assertThat(ShellBlock.of(PAGES.resolve(page)).stream()
                    .filter(block -> Integer.parseInt(block.place().split(":")[1]) <= lines)).as(page)
                    .isNotEmpty().allMatch(block -> block.reason().isEmpty());
        }
    }

    @Test
    void readmeIsShort() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("README.md")))
                .as("lines of README.md; what is one reader's stands on his page").hasSizeLessThanOrEqualTo(150);
    }

    @Test
    void filesThatTheFirstPagesLinkExist() throws IOException {
        for (String page : List.of("README.md", "CONTRIBUTING.md", "SECURITY.md")) {
            for (Matcher link = FILE.matcher(Files.readString(ROOT.resolve(page))); link.find();) {
                assertThat(ROOT.resolve(link.group(1))).as(page).exists();
            }
        }
    }
}
