package dev.bascule.model;

import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.ForwardingModel;
import dev.bascule.ffi.OwnThread;
import dev.bascule.ring.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * A card whose one port is plugged into a wire, with a thread that moves its frames from the moment it is plugged in until
 * it is closed; the wire is closed with it.
 */
public abstract class WiredCard extends ForwardingModel {
    private static final int FRAMES = 64;
    private static final int SPINS_BEFORE_PARK = 2_000;
    private static final long PARK_NANOS = 50_000;

    private final CountedWire wire;
    private volatile boolean closed;
    private @Nullable Thread worker;

    /** The device, and what its port is plugged into. */
    protected WiredCard(DeviceModel device, CountedWire wire) {
        super(device);
        this.wire = wire;
    }

    /** One round of the card's thread: frames from the wire, and whatever the device does itself; says how much. */
    protected abstract int work();

    /** Frames lost so far. */
    public abstract Losses losses();

    /** Takes frames that have arrived; says how many. */
    protected final int arrivals(WireEnd.FrameSink sink) {
        return wire.poll(sink, FRAMES);
    }

    /** Frames that the wire refused. */
    protected final Losses lostOnWire() {
        return wire.losses();
    }

    @Override
    public void connect(DevicePort port) {
        super.connect(port);
        worker = OwnThread.of("bascule-" + name(), () -> loop(port));
        worker.start();
    }

    private void loop(DevicePort port) {
        IdleStrategy idle = IdleStrategy.spinThenPark(SPINS_BEFORE_PARK, PARK_NANOS);
        while (!closed) {
            idle.idle(guarded(port));
        }
    }

    private int guarded(DevicePort port) {
        try {
            return work();
        } catch (RuntimeException | Error e) {
            port.failed(e);
            return 0;
        }
    }

    @Override
    public void close() {
        closed = true;
        ModelThread.join(worker);
        super.close();
        wire.close();
    }
}
