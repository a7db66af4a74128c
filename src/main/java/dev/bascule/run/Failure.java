package dev.bascule.run;

/**
 * Work that cannot be done, or was not done whole: exit status 1. The message is for the user, without a stack trace. Words
 * that are wrong by themselves are a {@link Misuse}.
 */
public sealed class Failure extends RuntimeException permits Misuse {
    private static final long serialVersionUID = 1L;

    /** Failure with what the user is told. */
    public Failure(String message) {
        super(message);
    }

    /** Failure with what the user is told, and what it comes from. */
    public Failure(String message, Throwable cause) {
        super(message, cause);
    }
}
