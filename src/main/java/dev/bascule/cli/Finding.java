package dev.bascule.cli;

/**
 * One line of {@code doctor}.
 *
 * @param name the prerequisite
 * @param found what there is
 * @param fix the command that mends it; empty when nothing needs fixing
 */
record Finding(String name, Verdict verdict, String found, String fix) {
    static Finding ok(String name, String found) {
        return new Finding(name, Verdict.OK, found, "");
    }

    /** Not there, and the main job needs it. */
    static Finding missing(String name, String found, String fix) {
        return new Finding(name, Verdict.MISSING, found, fix);
    }

    /** Not there, and only hardware, other programs or speed suffer. */
    static Finding optional(String name, String found, String fix) {
        return new Finding(name, Verdict.NOT_NEEDED, found, fix);
    }

    boolean isMissing() {
        return verdict == Verdict.MISSING;
    }
}
