package dev.bascule.pci;

import org.jspecify.annotations.Nullable;

/** A step on a PCI function's set-up failed. The message has the step, the object, the problem and what to do. */
public final class PciException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param step what was tried, such as {@code bind}
     * @param object on what
     * @param problem what went wrong
     * @param remedy what the user can do
     */
    PciException(String step, String object, String problem, String remedy) {
        this(step, object, problem, remedy, null);
    }

    /** As above, with the exception that caused it. */
    PciException(String step, String object, String problem, String remedy, @Nullable Throwable cause) {
        super(step + ": " + object + ": " + problem + "; " + remedy, cause);
    }
}
