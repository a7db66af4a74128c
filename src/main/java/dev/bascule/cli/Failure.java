package dev.bascule.cli;

/**
 * Work that cannot be done, or was not done whole: exit status 1. The message is for the user, without a stack trace. Words
 * that are wrong by themselves are a {@link Misuse}.
 */
public sealed class Failure extends RuntimeException permits Misuse {
    private static final long serialVersionUID = 1L;

    public Failure(String message) {
        super(message);
    }

    public Failure(String message, Throwable cause) {
        super(message, cause);
    }
}
