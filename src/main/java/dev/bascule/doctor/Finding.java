package dev.bascule.doctor;

import java.util.regex.Pattern;

/**
 * One line of {@code doctor}.
 *
 * @param name the prerequisite
 * @param found what there is
 * @param fix the command that mends it; empty when nothing needs fixing
 */
public record Finding(String name, Verdict verdict, String found, String fix) {
    private static final Pattern OF_A_CARD = Pattern.compile(" \\p{XDigit}{4}:\\p{XDigit}{2}:");

    /** Finding of a thing that is there, and good enough. */
    public static Finding ok(String name, String found) {
        return new Finding(name, Verdict.OK, found, "");
    }

    /** Not there, and the main job needs it. */
    public static Finding missing(String name, String found, String fix) {
        return new Finding(name, Verdict.MISSING, found, fix);
    }

    /** Not there, and only hardware, other programs or speed suffer. */
    public static Finding optional(String name, String found, String fix) {
        return new Finding(name, Verdict.NOT_NEEDED, found, fix);
    }

    /** Whether its name says enough: not there, not needed, and of no card that is. */
    public boolean isFolded() {
        return verdict == Verdict.NOT_NEEDED && !OF_A_CARD.matcher(name).find();
    }

    /** Whether the main job cannot run without it. */
    public boolean isMissing() {
        return verdict == Verdict.MISSING;
    }
}
