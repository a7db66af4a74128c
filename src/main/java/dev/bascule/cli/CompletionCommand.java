package dev.bascule.cli;

import java.io.PrintWriter;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

/** Completion of commands and options for bash, zsh and fish. */
@Command(name = "completion", mixinStandardHelpOptions = true, description = {
        "Prints a script by which bash (if none is named), zsh or fish completes commands and options." }, footer = {
                "", "Examples:", "  source <(scripts/bascule completion)",
                "  scripts/bascule completion > ~/.local/share/bash-completion/completions/bascule",
                "  source <(scripts/bascule completion zsh)",
                "  scripts/bascule completion fish > ~/.config/fish/completions/bascule.fish" })
final class CompletionCommand extends CommandBase {
    /** Labels of values that are files; fish looks for them. */
    private static final Pattern FILES = Pattern.compile(".*\\b(FILE|DIR|PATH|SOCKET|IN|OUT|COMMAND|MODEL)\\b.*");
    private static final String FISH = """
            function __bascule_words # those behind the program's name, a blank after each
                set -l words (commandline -opc)
                set -e words[1]
                echo "$words "
            end
            function __bascule_in # whether the first words are these
                string match -q -- "$argv *" (__bascule_words)
            end
            function __bascule_at # whether there are these words and no more
                test "$argv " = (__bascule_words)
            end
            complete -c bascule -f
            """;

    @OneOf({ "bash", "zsh", "fish" })
    @Parameters(arity = "0..1", defaultValue = "bash", paramLabel = "SHELL", description = "default ${DEFAULT-VALUE}")
    private String shell = "bash";

    @Override
    public Integer call() {
        PrintWriter out = out();
        CommandLine all = spec().root().commandLine();
        // the script for bash has a part for zsh
        out.print(shell.equals("fish") ? fish(all.getCommandSpec()) : AutoComplete.bash("bascule", all));
        out.flush();
        return 0;
    }

    private static String fish(CommandSpec all) {
        StringBuilder script = new StringBuilder(FISH);
        add(script, all, new ArrayList<>());
        return script.toString();
    }

    /** Adds what can follow these words. */
    private static void add(StringBuilder script, CommandSpec command, List<String> words) {
        String path = String.join(" ", words);
        String begin = "complete -c bascule -n '__bascule_" + (words.isEmpty() ? "at" : "in " + path) + "'";
        command.options().stream().filter(option -> !option.hidden())
                .forEach(option -> script.append(begin).append(option(option)).append('\n'));
        if (!command.positionalParameters().isEmpty()) {
            script.append(begin).append(" -F\n");
        }
        command.subcommands().forEach((name, line) -> {
            CommandSpec one = line.getCommandSpec();
            script.append("complete -c bascule -n '__bascule_at ").append(path).append("' -a ").append(name)
                    .append(" -d ").append(quoted(one.usageMessage().description())).append('\n');
            List<String> longer = new ArrayList<>(words);
            longer.add(name);
            add(script, one, longer);
        });
    }

    private static String option(OptionSpec option) {
        StringBuilder words = new StringBuilder();
        for (String name : option.names()) {
            words.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceFirst("^--?", ""));
        }
        if (option.arity().max() > 0) {
            OneOf known = option.userObject() instanceof AnnotatedElement field
                    ? field.getAnnotation(OneOf.class)
                    : null;
            words.append(FILES.matcher(option.paramLabel()).matches() ? " -r -F" : " -x");
            if (known != null) {
                words.append(" -a '").append(String.join(" ", known.value())).append('\'');
            }
        }
        return words.append(" -d ").append(quoted(option.description())).toString();
    }

    /** First clause of a description, as fish takes it. */
    private static String quoted(String... description) {
        String clause = Commands.shortly(description).replace("%n", " ").replace("%%", "%");
        return '\'' + clause.replace("\\", "\\\\").replace("'", "\\'") + '\'';
    }
}
