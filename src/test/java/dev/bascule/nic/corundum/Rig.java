package dev.bascule.nic.corundum;

import dev.bascule.device.DeviceBacking;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.corundum.CorundumModel;

/** A device for the driver, and a way to let it work where it has no thread of its own. */
interface Rig extends AutoCloseable {
    DeviceBacking backing();

    /** Lets the device do something; a pause where it works by itself. */
    void work();

    @Override
    void close();

    /** A model in this process that works when it is told to. */
    static Rig stepped(CorundumModel model) {
        LoopbackDevice device = LoopbackDevice.open(model);
        return new Rig() {
            @Override
            public DeviceBacking backing() {
                return device;
            }

            @Override
            public void work() {
                while (model.poll() != 0) {
                    Thread.onSpinWait();
                }
            }

            @Override
            public void close() {
                device.close();
            }
        };
    }

    /** A model in this process with a thread of its own. */
    static Rig threaded(CorundumModel model) {
        return of(LoopbackDevice.open(model));
    }

    /** A device that works by itself. */
    static Rig of(DeviceBacking device) {
        return new Rig() {
            @Override
            public DeviceBacking backing() {
                return device;
            }

            @Override
            public void work() {
                Thread.yield();
            }

            @Override
            public void close() {
                device.close();
            }
        };
    }
}
