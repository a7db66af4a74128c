package dev.bascule.cli;

/** A command cannot be done as asked: the message is for the user, without a stack trace. */
final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Failure(String message) {
        super(message);
    }

    Failure(String message, Throwable cause) {
        super(message, cause);
    }
}
