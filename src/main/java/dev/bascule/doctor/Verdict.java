package dev.bascule.doctor;

/** Verdict of {@code doctor} on one prerequisite. */
public enum Verdict {
    /** There, and good enough. */
    OK("ok"),
    /** The main job on a loopback device cannot run without it. */
    MISSING("missing"),
    /** Not there; hardware or comfort needs it, the loopback device does not. */
    NOT_NEEDED("not needed for loopback");

    /** Words of it, as the list shows them. */
    public final String text;

    Verdict(String text) {
        this.text = text;
    }
}
