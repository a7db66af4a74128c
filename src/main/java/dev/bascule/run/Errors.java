package dev.bascule.run;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.PolicyException;
import dev.bascule.config.ConfigException;
import dev.bascule.device.DeviceException;
import dev.bascule.doctor.MissingPart;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.SharedMemory;
import dev.bascule.pci.PciException;
import dev.bascule.workload.WorkloadException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Messages that the user sees when a command fails, in one place: one message for an expected failure, a stack trace
 * with a hint for anything else. Exit statuses: 1 it could not be done, 2 wrong usage, 70 a bug, 130 interrupted, 141
 * nobody reads standard output any more.
 */
public final class Errors {
    /** Status: it could not be done. */
    public static final int FAILED = 1;

    /** Status: wrong usage. */
    public static final int USAGE = 2;

    /** Status: a bug. */
    public static final int BUG = 70;

    /** Status: interrupted. */
    public static final int INTERRUPTED = 130;

    /** Status: nobody reads standard output any more. */
    public static final int NO_READER = 141;

    private static final Pattern ENDLESS = Pattern.compile("[0-9]{101,}+|\\S{4097,}+");
    private static final int CUT_TO = 40;

    private Errors() {}

    /** Prints why a command failed. */
    public static int report(Throwable failure, PrintWriter raw) {
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
    public static String cut(String message) {
        return ENDLESS.matcher(message).replaceAll(word -> Matcher.quoteReplacement(
                word.group().substring(0, CUT_TO) + "... (" + word.group().length() + " characters)"));
    }
}
