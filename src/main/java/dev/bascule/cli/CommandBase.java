package dev.bascule.cli;

import dev.bascule.model.wire.CaptureWriter;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command: where it prints, and the words it was called with. {@link #call} returns the exit status. */
public abstract class CommandBase implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls the command
    private CommandSpec spec;

    protected final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    protected final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** Where to print beside a capture file that may be standard output. */
    protected final PrintWriter beside(@Nullable Path capture) {
        return capture != null && CaptureWriter.isStandardOutput(capture) ? err() : out();
    }

    /** The words as they were typed, from the command's name on. */
    protected final List<String> typed() {
        List<String> words = spec.commandLine().getParseResult().originalArgs();
        boolean isNamed = !words.isEmpty() && words.getFirst().equals(spec.name());
        return isNamed ? words : Stream.concat(Stream.of(spec.name()), words.stream()).toList();
    }

    protected final CommandSpec spec() {
        return spec;
    }
}
