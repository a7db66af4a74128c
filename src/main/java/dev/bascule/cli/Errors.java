package dev.bascule.cli;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.PolicyException;
import dev.bascule.config.ConfigException;
import dev.bascule.device.DeviceException;
import dev.bascule.doctor.MissingPart;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.NearestWord;
import dev.bascule.memory.SharedMemory;
import dev.bascule.pci.PciException;
import dev.bascule.workload.WorkloadException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Messages that the user sees when a command fails, in one place: one message for an expected failure, a stack trace
 * with a hint for anything else. Exit statuses: 1 it could not be done, 2 wrong usage, 70 a bug, 130 interrupted, 141
 * nobody reads standard output any more.
 */
public final class Errors {
    public static final int FAILED = 1;
    public static final int USAGE = 2;
    static final int BUG = 70;
    public static final int INTERRUPTED = 130;
    static final int NO_READER = 141;

    private static final Pattern ENDLESS = Pattern.compile("[0-9]{101,}+|\\S{4097,}+");
    private static final int CUT_TO = 40;

    private Errors() {}

    /** Runs a command line to its exit status; nothing is thrown. */
    public static int execute(CommandLine commandLine, String... args) {
        commandLine.setExecutionExceptionHandler((failure, command, parsed) -> failure instanceof Misuse
                ? misuse(new ParameterException(command, String.valueOf(failure.getMessage())))
                : report(failure, command.getErr()));
        commandLine.setParameterExceptionHandler((failure, words) -> misuse(failure));
        commandLine.setExecutionStrategy(Errors::run);
        commandLine.setExpandAtFiles(false); // a word is what it is, above all one of a user's program
        try {
            return commandLine.execute(args);
        } catch (Error failure) {
            return report(failure, commandLine.getErr());
        }
    }

    /** Help is coloured on a terminal; what a command prints comes from files and devices as well and is shown. */
    private static int run(ParseResult words) {
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
            return report(failure, words.asCommandLineList().getLast().getErr());
        }
        int status = new RunLast().execute(words);
        words.asCommandLineList().forEach(command -> command.getOut().flush());
        return status;
    }

    /** Prints why a command failed. */
    static int report(Throwable failure, PrintWriter raw) {
        PrintWriter err = TerminalEscapes.showing(raw);
        if (failure instanceof InterruptedException || isEnding()) {
            return INTERRUPTED; // the rest of a command that Ctrl-C has cut short says nothing of interest
        }
        if (failure instanceof PolicyException) { // before exhaustion: it names the policy that ran out of memory
            return reportPolicy(failure, err);
        }
        String lacking = ResourceLimits.reason(failure);
        if (lacking == null) {
            lacking = MissingPart.reason(failure);
        }
        boolean expected = lacking != null || isExpected(failure);
        if (!expected || Boolean.getBoolean("bascule.debug")) {
            failure.printStackTrace(err);
        }
        err.println(
                "bascule: " + cut(lacking != null ? lacking : expected ? message(failure) : "unexpected " + failure));
        if (!expected) {
            err.println("This is a bug in Bascule, not in what you did. Please report it with the lines above, the"
                    + " command, and the output of: bascule doctor");
        }
        err.flush();
        return expected ? FAILED : BUG;
    }

    /** The policy's author needs the stack of what it threw; the message comes last, where it is read first. */
    private static int reportPolicy(Throwable failure, PrintWriter err) {
        Throwable thrown = failure.getCause() == null ? failure : failure.getCause();
        thrown.printStackTrace(err);
        err.println("bascule: " + failure.getMessage() + (thrown instanceof OutOfMemoryError
                ? " (the agent's heap may have " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB)"
                : ""));
        err.flush();
        return FAILED;
    }

    private static boolean isExpected(Throwable failure) {
        return failure instanceof Failure || failure instanceof ConfigException
                || failure instanceof AgentException || failure instanceof NativeException
                || failure instanceof WorkloadException
                || failure instanceof DeviceException || failure instanceof PciException
                || failure instanceof IllegalArgumentException
                || failure instanceof UncheckedIOException || failure instanceof IOException
                || SharedMemory.isTruncation(failure);
    }

    private static String message(Throwable failure) {
        if (SharedMemory.isTruncation(failure)) {
            return "a shared file was cut while it was in use; stop both sides and start them on a new run directory";
        }
        String message = failure.getMessage();
        if (message == null || message.isBlank()) {
            return failure.getClass().getSimpleName();
        }
        // The message of these is the file's name alone.
        return failure instanceof FileSystemException file && file.getReason() == null
                ? file.getClass().getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", " ").replace(" Exception", "")
                        + ": " + message
                : message;
    }

    /** Whether the process is on its way out: then no shutdown hook can be added. */
    private static boolean isEnding() {
        Thread hook = new Thread(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            return !Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /** The message with what is longer than any path, or a number of more than a hundred digits, cut. */
    static String cut(String message) {
        return ENDLESS.matcher(message).replaceAll(word -> Matcher.quoteReplacement(
                word.group().substring(0, CUT_TO) + "... (" + word.group().length() + " characters)"));
    }

    /** Message about a word that the command does not know. */
    private static String unknown(String word, CommandSpec command) {
        if (command.parent() == null && Commands.NAMES.contains(word)) {
            return word + Commands.ABSENT;
        }
        if (word.startsWith("-")) {
            String name = word.split("=", 2)[0];
            return "no option of " + command.qualifiedName(" ") + " is called '" + name + "'"
                    + NearestWord.hint(name, command.options().stream().filter(option -> !option.hidden())
                            .map(OptionSpec::longestName).toList());
        }
        return command.subcommands().isEmpty()
                ? command.qualifiedName(" ") + " has no use for the word '" + word + "'"
                : "no command of " + command.qualifiedName(" ") + " is called '" + word + "'"
                        + NearestWord.hint(word, command.subcommands().keySet());
    }

    private static int misuse(ParameterException failure) {
        CommandLine command = failure.getCommandLine();
        PrintWriter err = TerminalEscapes.showing(command.getErr());
        err.println("bascule: " + cut(failure instanceof UnmatchedArgumentException unknown
                ? unknown(unknown.getUnmatched().getFirst(), command.getCommandSpec())
                : String.valueOf(failure.getMessage())));
        err.println("See: " + command.getCommandSpec().qualifiedName(" ") + " --help");
        err.flush();
        return USAGE;
    }
}
