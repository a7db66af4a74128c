package dev.bascule.nic.corundum;

import dev.bascule.device.DeviceException;

/** What a device did that no device may do, as the exception that the queue then throws. */
final class DeviceFault {
    private DeviceFault() {}

    static DeviceException of(String queue, String problem) {
        return new DeviceException("read completions", queue, problem,
                "the queue has stopped and its buffers are untouched; stop and start the port, or reset the device");
    }

    /** Nobody started it. */
    static DeviceException stopped(String queue) {
        return new DeviceException("use a queue", queue, "its port is stopped", "start the port first");
    }

    /** A completion names another queue. */
    static DeviceException foreign(String queue, int found) {
        return of(queue, "the device completed queue " + found + ", which this ring does not belong to");
    }

    /** A completion names a slot that is not the device's. */
    static DeviceException notPosted(String queue, int index, int head, int tail) {
        return of(queue, "the device completed index %d, but holds only %d to %d".formatted(index, head & 0xFFFF,
                tail - 1 & 0xFFFF));
    }
}
