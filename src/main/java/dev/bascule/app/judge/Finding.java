package dev.bascule.app.judge;

import java.util.List;

/**
 * Result of one part.
 *
 * @param part its name
 * @param verdict what came of it
 * @param text what was seen, why it failed, or why it does not apply
 * @param bytes rows of what was expected and what came, around the first difference; empty if none was found by bytes
 * @param history the last operations before a failure, the oldest first
 * @param seconds it took
 */
public record Finding(String part, Verdict verdict, String text, List<String> bytes, List<String> history,
        double seconds) {
    /** Outcome of a part. */
    public enum Verdict {
        /** All was as it has to be. */
        PASSED("passed"),
        /** A difference was found. */
        FAILED("FAILED"),
        /** The card, or this set-up of it, lacks what the part is about. */
        NOT_APPLICABLE("not applicable");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }

        /** For people. */
        public String text() {
            return text;
        }
    }
}
