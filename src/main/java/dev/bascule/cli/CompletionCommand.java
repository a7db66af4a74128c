package dev.bascule.cli;

import java.io.PrintWriter;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** Completion of commands and options for bash and zsh. */
@Command(name = "completion", mixinStandardHelpOptions = true, description = {
        "Prints a script that lets bash (and zsh with bashcompinit) complete commands and options." }, footer = { "",
                "Examples:", "  source <(scripts/bascule completion)",
                "  scripts/bascule completion > ~/.local/share/bash-completion/completions/bascule" })
final class CompletionCommand extends CommandBase {
    @Override
    public Integer call() {
        PrintWriter out = out();
        out.print(AutoComplete.bash("bascule", spec().root().commandLine()));
        out.flush();
        return 0;
    }
}
