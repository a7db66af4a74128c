package dev.bascule.cli;

/** The words of {@code --pace}. */
final class Paces {
    static final String LOSSLESS = "lossless";
    static final String RECORDED = "recorded";

    private Paces() {}

    /** Whether frames wait for room. */
    static boolean isLossless(String pace) {
        return pace.equals(LOSSLESS);
    }
}
