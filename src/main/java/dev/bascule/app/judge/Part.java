package dev.bascule.app.judge;

import java.util.Optional;
import java.util.function.Function;

/**
 * One question to a card.
 *
 * @param name to choose it by
 * @param question for people
 * @param lacking why it does not apply, empty if it does
 * @param answer asks the card; returns what was seen, or throws a {@link Fault}
 */
record Part(String name, String question, Function<Bench, Optional<String>> lacking, Function<Bench, String> answer) {
    /** For every card. */
    static Part ofAll(String name, String question, Function<Bench, String> answer) {
        return new Part(name, question, bench -> Optional.empty(), answer);
    }

    /** Empty if something is there, else why a part does not apply. */
    static Optional<String> unless(boolean isThere, String reason) {
        return isThere ? Optional.empty() : Optional.of(reason);
    }
}
