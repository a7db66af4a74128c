package dev.bascule.config;

import java.util.Arrays;
import java.util.Optional;

/** How far a published figure can be trusted. Printed wherever the figure is. */
public enum Confidence {
    /** Read in the primary text or repository. */
    PRIMARY("primary"),
    /** Another document states it about the primary. */
    SECOND_HAND("second-hand"),
    /** Arithmetic on figures of the two kinds above; the source says which. */
    DERIVED("derived"),
    /** Remembered and not checked: never to be cited. */
    RECOLLECTION("recollection"),
    /** Fitted to a published curve; the source says to which. */
    CALIBRATED("calibrated"),
    /** Set by whoever wrote the file; a plain value without a source is of this kind. */
    CHOSEN("chosen");

    private final String word;

    Confidence(String word) {
        this.word = word;
    }

    /** The word used in a file. */
    public String word() {
        return word;
    }

    static Optional<Confidence> of(String word) {
        return Arrays.stream(values()).filter(c -> c.word.equals(word)).findFirst();
    }
}
