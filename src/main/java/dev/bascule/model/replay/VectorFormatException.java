package dev.bascule.model.replay;

/** A recorded run cannot be read: the message has the line, the column where known, and what was expected. */
public final class VectorFormatException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** An exception that says what is wrong, and in which line (from 1). */
    public VectorFormatException(int line, String problem) {
        super("line " + line + ": " + problem);
    }
}
