package dev.bascule.ffi;

/**
 * A part that this machine does not have: a library, a function of one, or the native part that goes with these classes. The
 * message says which, and how to get it. It is no fault of the program.
 */
public final class MissingPartException extends UnsupportedOperationException {
    private static final long serialVersionUID = 1L;

    /** With what is missing, and the cure. */
    public MissingPartException(String message) {
        super(message);
    }
}
