package dev.bascule.model.parts;

import dev.bascule.device.DevicePort;
import dev.bascule.device.DmaAccess;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Way of a model to the host: nothing answers, and nobody is interrupted, before it is plugged in. Thread rule: any thread. */
public final class HostPort implements DmaAccess {
    private volatile @Nullable DevicePort port;

    /** Plugs the model in. */
    public void connect(DevicePort devicePort) {
        port = devicePort;
    }

    /** Raises an interrupt. */
    public void raise(int vector) {
        DevicePort current = port;
        if (current != null) {
            current.raise(vector);
        }
    }

    /** Failure of the model, which ends it; whether there is a host that could be told. */
    public boolean failed(Throwable cause) {
        DevicePort current = port;
        if (current != null) {
            current.failed(cause);
        }
        return current != null;
    }

    @Override
    public boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
        DevicePort current = port;
        return current != null && current.dma().read(iova, to, toOffset, lengthBytes);
    }

    @Override
    public boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
        DevicePort current = port;
        return current != null && current.dma().write(iova, from, fromOffset, lengthBytes);
    }
}
