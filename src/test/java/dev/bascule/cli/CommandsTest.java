package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.OptionSpec;

class CommandsTest {
    private static final Path SOURCES = Path.of(System.getProperty("bascule.home", ""),
            "src/main/java/dev/bascule/cli");
    private static final Path STUDY = Path.of(System.getProperty("bascule.home", ""),
            "src/main/java/dev/bascule/study/cli");

    @Test
    void everyCommandIsThereUnderItsNameAndInTheGivenOrder() throws IOException {
        assertThat(Main.commandLine().getSubcommands().keySet()).containsExactlyElementsOf(Commands.names());
        try (Stream<Path> files = Stream.concat(Files.list(SOURCES), Files.list(STUDY))) {
            List<String> classes = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith("Command.java") && !name.matches("Reproduce.+Command.java")).toList();
            assertThat(Commands.names()).hasSize(classes.size() + 1); // calibrate lies in ReproduceCommand
        }
    }

    @Test
    void aLineThatNamesACommandIsMadeOfThatOne() {
        for (String name : Commands.names()) {
            assertThat(Main.commandLine(name, "--help").getSubcommands()).containsKey(name);
        }
        assertThat(Main.commandLine("doctor", "--json").getSubcommands()).hasSize(1);
        assertThat(Main.commandLine("--version").getSubcommands()).isEmpty();
    }

    @Test
    void everyOptionOfRunStandsInOneGroupOfItsHelp() {
        String help = Cli.callOne("run", "--help").out();
        assertThat(help).startsWith("Usage: bascule run [OPTIONS]").contains("\nFaults and upgrades:\n");
        List<String> shown = Pattern.compile("(?m)^ {2}(?:-., {1,3}| {4})(--[a-z-]+)").matcher(help).results()
                .map(line -> line.group(1)).toList();
        List<String> all = Main.commandLine("run").getSubcommands().get("run").getCommandSpec().options().stream()
                .filter(option -> !option.hidden()).map(OptionSpec::longestName).toList();
        assertThat(shown).hasSizeGreaterThan(40).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void theHelpListsEachCommandOnceAndInGroups() {
        List<String> lines = Cli.callOne("--help").out().lines().toList();
        List<String> listed = lines.subList(0, lines.indexOf("Examples:")).stream()
                .filter(line -> line.matches(" {2}[a-z]+ .*")).map(line -> line.strip().split(" ")[0]).toList();
        assertThat(listed).containsExactlyElementsOf(Commands.names());
        assertThat(listed).containsSubsequence("run", "compare", "agent").containsSubsequence("replay", "sim", "new");
        assertThat(lines).contains("Packets", "Devices").hasSizeLessThan(Commands.names().size() * 3);
    }

    @Test
    void theProductNamesNoCommandOfAJarBesideIt() throws IOException {
        List<String> theirs = Commands.extensions().stream().flatMap(one -> one.commands().stream())
                .map(Extension.Entry::name).toList();
        assertThat(theirs).contains("compare", "sim").allMatch(Commands.names()::contains);
        String source = Files.readString(SOURCES.resolve("Commands.java"));
        assertThat(theirs.stream().filter(name -> source.contains('"' + name + '"'))).isEmpty();
    }

    @Test
    void helpCompletionAndMistypedNamesKnowAllCommands() {
        for (String first : List.of("--help", "completion", "docter", "")) {
            assertThat(Main.commandLine(first).getSubcommands()).as(first).hasSameSizeAs(Commands.names());
        }
    }
}
