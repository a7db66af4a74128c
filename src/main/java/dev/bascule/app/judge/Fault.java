package dev.bascule.app.judge;

import java.util.List;

/** A difference between what a card did and what it has to do. */
final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> bytes;

    Fault(String message) {
        this(message, List.of());
    }

    /** @param bytes rows of what was expected and what came */
    Fault(String message, List<String> bytes) {
        super(message);
        this.bytes = bytes;
    }

    List<String> bytes() {
        return bytes;
    }
}
