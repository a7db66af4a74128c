package dev.bascule.device;

/**
 * Something was found that is not what it should be: a foreign identity, an unknown version, a truncated or damaged
 * region.
 */
public final class DeviceFormatException extends DeviceException {
    private static final long serialVersionUID = 1L;

    /** See {@link DeviceException}. */
    public DeviceFormatException(String step, String object, String problem, String remedy) {
        super(step, object, problem, remedy);
    }
}
