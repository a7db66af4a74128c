package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.ShellBlock.Step;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Commands that pages and help texts show: each is one line that the command line takes. Whether it works: PagesRunTest. */
class ExamplesTest {
    private static final Pattern WORD = Pattern.compile("((?:[^\\s'\"]|'[^']*'|\"[^\"]*\")+)");
    private static final Pattern END = Pattern.compile("[|&;]+|\\d?>+");

    static Stream<ShellBlock> blocks() throws IOException {
        return PagesRunTest.blocks();
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void everyCommandIsTaken(ShellBlock block) {
        List<String> refused = new ArrayList<>();
        for (Step step : block.steps()) {
            String[] words = words(step.plain());
            if (words.length == 0 || Arrays.asList(words).contains("...")) {
                continue;
            }
            CommandLine line = Main.commandLine(words);
            line.setExpandAtFiles(false);
            try {
                line.parseArgs(words);
            } catch (ParameterException e) {
                refused.add(step.command() + ": " + e.getMessage());
            }
        }
        assertThat(refused).as(block.place()).isEmpty();
        assertThat(block.steps()).as(block.place()).isNotEmpty();
    }

    /** The words of the first call of bascule; none where there is none. */
    private static String[] words(String command) {
        List<String> words = new ArrayList<>();
        boolean isCall = false;
        for (Matcher word = WORD.matcher(command.replace("\\\n", " ")); word.find();) {
            String text = word.group();
            if (isCall && END.matcher(text).matches()) {
                break;
            }
            if (isCall) {
                words.add(text.replaceAll("['\"]", ""));
            }
            isCall |= text.equals("bascule") || text.equals("scripts/bascule");
        }
        return words.toArray(String[]::new);
    }

    @Test
    void noExampleOfAHelpTextIsWrapped() {
        List<String> wrapped = new ArrayList<>();
        check(Main.commandLine(), wrapped);
        assertThat(wrapped).isEmpty();
    }

    private static void check(CommandLine line, List<String> wrapped) {
        List<String> printed = line.getUsageMessage(CommandLine.Help.Ansi.OFF).lines().toList();
        for (String example : line.getCommandSpec().usageMessage().footer()) {
            if (example.startsWith(HelpFooter.EXAMPLE) && !printed.contains(example)) {
                wrapped.add(example);
            }
        }
        line.getSubcommands().values().forEach(sub -> check(sub, wrapped));
    }

    /** A block without a language is neither run nor said not to be. */
    @Test
    void everyFenceOfAPageSaysWhatItIs() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path page : ShellBlock.pages()) {
            ShellBlock.languages(page).stream().filter(fence -> fence.matches("\\d+:(bash|shell)?"))
                    .forEach(fence -> wrong.add(page.getFileName() + ":" + fence));
        }
        assertThat(wrong).isEmpty();
    }
}
