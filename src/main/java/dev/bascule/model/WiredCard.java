package dev.bascule.model;

import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.ForwardingModel;
import dev.bascule.ffi.OwnThread;
import dev.bascule.ring.IdleStrategy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A card whose ports are plugged into wires, with a thread that moves its frames from the moment it is plugged in
 * until it is closed; the wires are closed with it.
 */
public abstract class WiredCard extends ForwardingModel {
    private static final int FRAMES = 64;
    private static final int SPINS_BEFORE_PARK = 2_000;
    private static final long PARK_NANOS = 50_000;

    private final List<CountedWire> wires;
    private volatile boolean closed;
    private @Nullable Thread worker;

    /** The device, and what its port is plugged into. */
    protected WiredCard(DeviceModel device, CountedWire wire) {
        this(device, List.of(wire));
    }

    /** The device, and what its ports are plugged into. */
    protected WiredCard(DeviceModel device, List<CountedWire> wires) {
        super(device);
        this.wires = List.copyOf(wires);
    }

    /** One round of the card's thread: frames from the wire, and whatever the device does itself; says how much. */
    protected abstract int work();

    /** Frames lost so far. */
    public abstract Losses losses();

    /** Takes frames that have arrived; says how many. */
    protected final int arrivals(WireEnd.FrameSink sink) {
        return arrivals(0, sink);
    }

    /** Takes frames that have arrived at a port; says how many. */
    protected final int arrivals(int port, WireEnd.FrameSink sink) {
        return wires.get(port).poll(sink, FRAMES);
    }

    /** Frames that the wires refused. */
    protected final Losses lostOnWire() {
        Losses losses = Losses.NONE;
        for (int port = 0; port < wires.size(); port++) {
            losses = losses.plus(wires.get(port).losses(port));
        }
        return losses;
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
        wires.forEach(CountedWire::close);
    }
}
