package dev.bascule.vfio;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.NativeException;

/** Turns a failed call into the exception that drivers see. */
final class VfioErrors {
    private VfioErrors() {}

    static DeviceException of(String step, String object, NativeException e) {
        if (e.errno() == Errno.ENODEV && step.startsWith("reach")) {
            return new DeviceRemovedException(step, object);
        }
        return of(step, object, e, "look at the end of the kernel's log: dmesg | tail");
    }

    /** With what to do when the call itself does not know. */
    static DeviceException of(String step, String object, NativeException e, String otherwise) {
        String remedy = e.remedy().isEmpty() ? otherwise : e.remedy();
        return new DeviceException(step, object, e.step() + " " + e.object() + ": " + e.errnoName() + " (" + e.errno()
                + ")", remedy, e);
    }
}
