package dev.bascule.cli;

/** Verdict of {@code doctor} on one prerequisite. */
enum Verdict {
    /** There, and good enough. */
    OK("ok"),
    /** The main job on a loopback device cannot run without it. */
    MISSING("missing"),
    /** Not there; hardware or comfort needs it, the loopback device does not. */
    NOT_NEEDED("not needed for loopback");

    final String text;

    Verdict(String text) {
        this.text = text;
    }
}
