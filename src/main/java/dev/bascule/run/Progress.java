package dev.bascule.run;

import java.io.PrintStream;

/** Says what is going on, on standard error, so that standard output stays a document. */
public final class Progress {
    private final PrintStream out;
    private final long startNanos = System.nanoTime();

    /** Progress that is said on a stream. */
    public Progress(PrintStream out) {
        this.out = out;
    }

    /** Prints a line with the time since the start. */
    public void say(String what) {
        out.printf("[%5.1f s] %s%n", (System.nanoTime() - startNanos) / 1e9, TerminalEscapes.shown(what));
        out.flush();
    }
}
