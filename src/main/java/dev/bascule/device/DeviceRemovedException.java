package dev.bascule.device;

/** The device is gone: pulled out, reset by someone else, or its process ended. Close the backing and open it again. */
public final class DeviceRemovedException extends DeviceException {
    private static final long serialVersionUID = 1L;

    /** @param step what was tried; @param object the device */
    public DeviceRemovedException(String step, String object) {
        super(step, object, "the device is gone", "close it, and open it again when it is back");
    }
}
