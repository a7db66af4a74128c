package dev.bascule.cli;

import java.util.List;

/** The words of {@code --pace}. */
final class Paces {
    static final String LOSSLESS = "lossless";
    static final String RECORDED = "recorded";

    private Paces() {}

    /** Whether frames wait for room. */
    static boolean isLossless(String pace) {
        if (!List.of(LOSSLESS, RECORDED).contains(pace)) {
            throw new Failure("--pace " + pace + ": " + LOSSLESS + " or " + RECORDED);
        }
        return pace.equals(LOSSLESS);
    }
}
