package dev.bascule.cli;

import dev.bascule.ffi.OwnThread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Entry point of {@code scripts/bascule}; each command is a subcommand, see {@link Commands}. */
@Command(name = "bascule", mixinStandardHelpOptions = true, versionProvider = Version.class, description = {
        "Drives SmartNICs and FPGA NICs from user space, and lets host and NIC decide together." }, footer = { "",
                "Examples:", "  bascule doctor",
                "  bascule run --quick", "  bascule compare --quick", "  bascule top",
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
        int status = Errors.execute(line, args);
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

    /** Without a subcommand: shows the help. */
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
