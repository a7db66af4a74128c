package dev.bascule.cli;

import dev.bascule.ffi.NearestWord;
import dev.bascule.ffi.OwnThread;
import dev.bascule.run.Errors;
import dev.bascule.run.Failure;
import dev.bascule.run.Interruption;
import dev.bascule.run.Misuse;
import dev.bascule.run.ResourceLimits;
import dev.bascule.run.TerminalEscapes;
import dev.bascule.run.UserProgram;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry point of {@code scripts/bascule}; each command is a subcommand, see {@link Commands}. */
@Command(name = "bascule", mixinStandardHelpOptions = true, versionProvider = Version.class, description = {
        "Drives SmartNICs and FPGA NICs from user space, and lets host and NIC decide together." }, footer = { "",
                "Examples:", "  bascule doctor",
                "  bascule run --quick", "  bascule new agent my-policy", "  bascule top",
                "  source <(bascule completion)", "",
                "Exit status: 0 done, 1 could not be done (the message says why), 2 wrong usage, 70 a bug, 130 interrupted,"
                        + " 141 the reader of its output has ended." })
public final class Main implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls run
    private CommandSpec spec;

    private Main() {}

    /** Runs the command line and ends the process with its exit status. */
    public static void main(String[] typed) {
        String[] args = words(typed);
        // Digits, points and cases of letters are for programs to read too, whatever the user speaks.
        Locale.setDefault(Locale.ROOT);
        String missing = ResourceLimits.atStart();
        if (missing != null) {
            System.err.println("bascule: " + missing);
            System.exit(Errors.FAILED);
        }
        String changed = UserProgram.changedWord(List.of(args));
        if (changed != null) {
            System.err.println("bascule: " + changed);
            System.exit(Errors.USAGE);
        }
        OwnThread.onEnd(Main::end);
        CommandLine line = commandLine(args);
        if (args.length == 0 || List.of(args).contains("--help") || List.of(args).contains("-h")) {
            HelpFooter.fit(line);
        }
        int status = Interruption.during(() -> execute(line, args));
        if (System.out.checkError() && status == 0) {
            status = unwritten();
        }
        System.exit(status);
    }

    /** The words with {@code help COMMAND} said as {@code COMMAND --help}. */
    private static String[] words(String... typed) {
        return typed.length > 0 && typed[0].equals("help")
                ? Stream.concat(Stream.of(typed).skip(1), Stream.of("--help")).toArray(String[]::new)
                : typed;
    }

    /** Status when standard output took not all: a reader that has enough, as head, is no failure to speak of. */
    private static int unwritten() {
        try {
            String output = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            if (output.startsWith("pipe:") || output.startsWith("socket:")) {
                return Errors.NO_READER;
            }
        } catch (IOException e) {
            // said as for a file
        }
        System.err.println("bascule: standard output cannot be written: its disk is full, or it is closed");
        return Errors.FAILED;
    }

    /** Nobody goes on with what the thread did. */
    private static void end(String thread, Throwable thrown) {
        System.err.println("bascule: the thread \"" + thread + "\" has ended, and this run with it: " + thrown
                + ". This is a bug in Bascule: report it with what the log says");
        // a hook that waits for the thread must not wait for itself
        Thread.ofPlatform().daemon().name("bascule-end").start(() -> System.exit(Errors.BUG));
    }

    /** With the command that the words name, or with all. */
    public static CommandLine commandLine(String... words) {
        CommandLine line = new CommandLine(new Main());
        Commands.addFor(line, words);
        HelpFooter.use(line);
        Commands.group(line);
        CommandLine run = line.getSubcommands().get("run");
        if (run != null) {
            HelpFooter.group(run, RunCommand.GROUPS);
        }
        return line;
    }

    /** Runs a command line to its exit status; nothing is thrown. */
    public static int execute(CommandLine commandLine, String... args) {
        commandLine.setExecutionExceptionHandler((failure, command, parsed) -> failure instanceof Misuse
                ? misuse(new ParameterException(command, String.valueOf(failure.getMessage())))
                : Errors.report(failure, command.getErr()));
        commandLine.setParameterExceptionHandler((failure, words) -> misuse(failure));
        commandLine.setExecutionStrategy(Main::runCommand);
        commandLine.setExpandAtFiles(false); // a word is what it is, above all one of a user's program
        try {
            return commandLine.execute(args);
        } catch (Error failure) {
            return Errors.report(failure, commandLine.getErr());
        }
    }

    /** Help is coloured on a terminal; what a command prints comes from files and devices as well and is shown. */
    private static int runCommand(ParseResult words) {
        Integer help = CommandLine.executeHelpRequest(words);
        if (help != null) {
            return help;
        }
        for (CommandLine command : words.asCommandLineList()) {
            command.setOut(TerminalEscapes.showing(command.getOut()));
            command.setErr(TerminalEscapes.showing(command.getErr()));
        }
        try {
            OptionValues.check(words);
        } catch (Misuse wrong) {
            List<CommandLine> commands = words.asCommandLineList();
            throw new ParameterException(commands.getLast(), String.valueOf(wrong.getMessage()));
        } catch (Failure failure) {
            return Errors.report(failure, words.asCommandLineList().getLast().getErr());
        }
        int status = new RunLast().execute(words);
        words.asCommandLineList().forEach(command -> command.getOut().flush());
        return status;
    }

    /** Message about a word that the command does not know. */
    private static String unknown(String word, CommandSpec command) {
        if (word.startsWith("-")) {
            String name = word.split("=", 2)[0];
            return "no option of " + command.qualifiedName(" ") + " is called '" + name + "'"
                    + NearestWord.hint(name, command.options().stream().filter(option -> !option.hidden())
                            .map(OptionSpec::longestName).toList());
        }
        return command.subcommands().isEmpty()
                ? command.qualifiedName(" ") + " has no use for the word '" + word + "'"
                : "no command of " + command.qualifiedName(" ") + " is called '" + word + "'"
                        + NearestWord.hint(word, command.subcommands().keySet())
                        + (command.parent() == null && Commands.extensions().isEmpty()
                                ? "; others are" + Commands.ABSENT
                                : "");
    }

    private static int misuse(ParameterException failure) {
        CommandLine command = failure.getCommandLine();
        PrintWriter err = TerminalEscapes.showing(command.getErr());
        err.println("bascule: " + Errors.cut(failure instanceof UnmatchedArgumentException unknown
                ? unknown(unknown.getUnmatched().getFirst(), command.getCommandSpec())
                : String.valueOf(failure.getMessage())));
        err.println("See: " + command.getCommandSpec().qualifiedName(" ") + " --help");
        err.flush();
        return Errors.USAGE;
    }

    /** Without a subcommand: shows the help. */
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
