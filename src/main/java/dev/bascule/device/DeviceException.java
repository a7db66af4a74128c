package dev.bascule.device;

import org.jspecify.annotations.Nullable;

/** A step on the control path of a device failed. The message has the step, the object, the problem and what to do. */
public class DeviceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param step what was tried, such as {@code map BAR 2}
     * @param object on what
     * @param problem what went wrong, with the errno's name if there is one
     * @param remedy what the user can do
     */
    public DeviceException(String step, String object, String problem, String remedy) {
        this(step, object, problem, remedy, null);
    }

    /** As above, with the exception that caused it. */
    public DeviceException(String step, String object, String problem, String remedy, @Nullable Throwable cause) {
        super(step + ": " + object + ": " + problem + "; " + remedy, cause);
    }
}
