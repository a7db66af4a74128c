package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.ShellBlock.Step;
import dev.bascule.junit.ByTurns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the pages and help texts show is run, as it stands there: by the shipped launcher with its heap, two blocks at a time.
 * {@link PageRules} says what is shortened.
 */
@Tag("pages")
@Timeout(900)
class PagesRunTest {
    /** Blocks that take a port of the machine run one after the other. */
    private static final String PORTS = "(?s).*\\b(7000|8080|5005)\\b.*";
    private static final Map<String, List<PageRun.Result>> RESULTS = new ConcurrentHashMap<>();
    private static final Map<String, String> LEFT_OUT = new LinkedHashMap<>();
    private static final List<ShellBlock> RUN = new ArrayList<>();

    @TempDir
    private static Path folder = Path.of("");

    @BeforeAll
    static void runAll() throws Exception {
        long begun = System.nanoTime();
        choose();
        PageFixture fixture = new PageFixture(folder);
        List<Runnable> work = new ArrayList<>();
        List<ShellBlock> ports = new ArrayList<>();
        for (ShellBlock block : RUN) {
            if (text(block).matches(PORTS)) {
                ports.add(block);
            } else {
                work.add(() -> run(fixture, block));
            }
        }
        work.addFirst(() -> ports.forEach(block -> run(fixture, block)));
        try (ExecutorService two = Executors.newFixedThreadPool(2)) {
            List<Future<?>> all = new ArrayList<>();
            work.forEach(one -> all.add(two.submit(one)));
            for (Future<?> one : all) {
                one.get();
            }
        }
        System.out.println("pages: " + RESULTS.values().stream().mapToInt(List::size).sum() + " commands of "
                + RUN.size() + " blocks in " + (System.nanoTime() - begun) / 1_000_000_000 + " s");
    }

    /** A command that stands in several places runs once; a block keeps its order. */
    private static void choose() throws IOException {
        Map<String, String> seen = new TreeMap<>();
        String only = System.getProperty("bascule.pages", ".*"); // to look at some again: a pattern of their places
        for (ShellBlock block : blocks().filter(block -> block.place().matches(only) && hasTurn(block)).toList()) {
            if (!block.reason().isEmpty()) {
                block.steps().forEach(step -> LEFT_OUT.put(block.place() + ": " + step.plain(), block.reason()));
                continue;
            }
            List<Step> steps = new ArrayList<>();
            boolean isApart = block.place().endsWith("--help")
                    && block.steps().stream().map(Step::command)
                            .noneMatch(command -> command.endsWith("&") || command.contains("--save "));
            for (Step step : block.steps()) {
                String lack = PageRules.lack(step.plain(), isApart);
                String same = PageRules.changed(step.plain()).replace("scripts/", "");
                if (!lack.isEmpty()) {
                    LEFT_OUT.put(block.place() + ": " + step.plain(), lack);
                } else if (!isApart || seen.putIfAbsent(same, block.place()) == null) {
                    steps.add(step);
                    seen.putIfAbsent(same, block.place());
                }
            }
            for (int i = 0; i < steps.size(); i += isApart ? 1 : steps.size()) {
                RUN.add(isApart
                        ? new ShellBlock(block.place() + ": " + steps.get(i).plain(), List.of(steps.get(i)), "")
                        : new ShellBlock(block.place(), steps, ""));
            }
        }
    }

    /** README's always; of the other pages and the help texts a fourth, where there are turns. */
    private static boolean hasTurn(ShellBlock block) {
        String page = block.place().replaceFirst(":.*", "");
        return page.startsWith("README") || ByTurns.Turn.isOfShare(page, 4);
    }

    private static String text(ShellBlock block) {
        return String.join("\n", block.steps().stream().map(Step::command).toList());
    }

    private static void run(PageFixture fixture, ShellBlock block) {
        long begun = System.nanoTime();
        try {
            RESULTS.put(block.place(), new PageRun(fixture.folder(), block).run());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(block.place(), e);
        }
        System.out.printf(Locale.ROOT, "%6.1f s  %s%n", (System.nanoTime() - begun) / 1e9, block.place());
    }

    static Stream<ShellBlock> blocks() throws IOException {
        List<ShellBlock> all = new ArrayList<>();
        for (Path page : ShellBlock.pages()) {
            all.addAll(ShellBlock.of(page));
        }
        all.addAll(ShellBlock.ofHelps());
        return all.stream();
    }

    static Stream<String> places() {
        return RUN.stream().map(ShellBlock::place);
    }

    @ParameterizedTest
    @MethodSource("places")
    void everyCommandOfTheBlockWorksAndPrintsWhatIsShown(String place) {
        List<String> wrong = new ArrayList<>();
        List<String> printed = RESULTS.get(place).stream().flatMap(result -> result.output().stream()).toList();
        for (PageRun.Result result : RESULTS.get(place)) {
            String tail = String.join("\n", result.output().subList(Math.max(0, result.output().size()
                    - (result.status() == 0 ? 12 : 60)), result.output().size()));
            if (result.status() != 0) {
                wrong.add("status " + result.status() + ": " + result.command() + "\n" + tail);
            }
            for (String line : missing(result.step().output(), printed)) {
                wrong.add("not printed: " + line + "\nby " + result.command() + "\n" + tail);
            }
        }
        assertThat(wrong).as(place).isEmpty();
    }

    /** Lines that are shown and that no line is like; numbers, blanks and ways of marking nothing aside. */
    private static List<String> missing(List<String> shown, List<String> printed) {
        return shown.stream().filter(line -> !shape(line).isEmpty() && !shape(line).equals("..."))
                .filter(line -> printed.stream().noneMatch(one -> isLike(shape(line), shape(one)))).toList();
    }

    private static boolean isLike(String shape, String printed) {
        return shape.endsWith("...")
                ? printed.startsWith(shape.substring(0, shape.length() - 3).strip())
                : (printed + " ").startsWith(shape + " "); // a table may be shown without its last columns
    }

    private static String shape(String line) {
        return line.replaceAll("sat\\. (?=\\d)", "").replaceAll("\u2013|\\d[\\d,.]*", "#").replaceAll("\\s+", " ")
                .strip();
    }

    @Test
    void whatIsLeftOutSaysWhy() {
        assertThat(LEFT_OUT.values()).allMatch(reason -> reason.length() > 5);
        assertThat(RUN.size()).isGreaterThan(LEFT_OUT.size() / 4);
    }

    @AfterAll
    static void sayWhatWasLeftOut() {
        Map<String, Integer> reasons = new TreeMap<>();
        LEFT_OUT.values().forEach(reason -> reasons.merge(reason, 1, Integer::sum));
        reasons.forEach((reason, count) -> System.out.println("pages: " + count + " not run: " + reason));
    }
}
