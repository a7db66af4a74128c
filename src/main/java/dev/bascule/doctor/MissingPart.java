package dev.bascule.doctor;

import dev.bascule.ffi.MissingPartException;
import org.jspecify.annotations.Nullable;

/** Says which native part or library is missing, where that is what a failure comes from. */
public final class MissingPart {
    private static final String OWN = "dev/bascule/";
    private static final int DEEPEST = 20;

    private MissingPart() {}

    /** The reason and the cure; null if the failure has another reason. */
    public static @Nullable String reason(Throwable failure) {
        Throwable cause = failure;
        for (int n = 0; n < DEEPEST && cause != null; n++, cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (cause instanceof MissingPartException) { // also of a class that could not be initialized for it
                return message;
            }
            if (cause instanceof UnsatisfiedLinkError) {
                return "a native library cannot be loaded: " + message + "; what this machine has: bascule doctor";
            }
            if (cause instanceof NoClassDefFoundError && isOfLibrary(message)) {
                return "the library with " + message
                        + " is not there; it belongs into the folder lib beside bascule.jar:"
                        + " scripts/run --set-up";
            }
        }
        return null;
    }

    /** Of a library, and by its name: a class that failed before is said in words. */
    private static boolean isOfLibrary(String name) {
        return name.indexOf(' ') < 0 && name.indexOf('/') > 0 && !name.startsWith(OWN);
    }
}
