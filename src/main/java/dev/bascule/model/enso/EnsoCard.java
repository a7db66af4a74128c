package dev.bascule.model.enso;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.model.CountedWire;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.ring.IdleStrategy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An Ensō device with a wire and a thread that moves its packets. */
public final class EnsoCard implements DeviceModel {
    private static final int WORK = 256;
    private static final int FRAMES = 64;
    private static final int SPINS_BEFORE_PARK = 2_000;
    private static final long PARK_NANOS = 50_000;

    private final CountedWire wire;
    private final WireEnd.FrameSink arrival = new Arrival();
    private final EnsoDevice device;
    private volatile boolean closed;
    private @Nullable Thread worker;

    /** Its one port is plugged into the wire, which is closed with it. */
    public EnsoCard(CountedWire wire) {
        this.wire = wire;
        this.device = new EnsoDevice(EnsoBoard.DEFAULT, CycleClock.ofNanos(System::nanoTime),
                (frame, lengthBytes, cycle) -> wire.transmit(frame, 0, lengthBytes));
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public List<Bar> bars() {
        return device.bars();
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return device.powerOnConfig();
    }

    @Override
    public void connect(DevicePort port) {
        device.connect(port);
        worker = Thread.ofPlatform().daemon().name("bascule-enso").start(() -> work(port));
    }

    private void work(DevicePort port) {
        IdleStrategy idle = IdleStrategy.spinThenPark(SPINS_BEFORE_PARK, PARK_NANOS);
        while (!closed) {
            idle.idle(poll(port));
        }
    }

    private int poll(DevicePort port) {
        try {
            return wire.poll(arrival, FRAMES) + device.work(WORK);
        } catch (RuntimeException | Error e) {
            port.failed(e);
            return 0;
        }
    }

    /** Frames lost so far, once it is plugged in. */
    public Losses losses() {
        return device.metrics().losses().plus(wire.losses());
    }

    /** Notifications lost so far, once it is plugged in. */
    public Losses unannounced() {
        return device.metrics().unannounced();
    }

    private final class Arrival implements WireEnd.FrameSink {
        @Override
        public void frame(byte[] data, int offset, int lengthBytes) {
            device.receive(data, offset, lengthBytes);
        }

        @Override
        public boolean offer(byte[] data, int offset, int lengthBytes) {
            return device.offer(data, offset, lengthBytes);
        }
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        return device.read(bar, offset, widthBytes);
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        device.write(bar, offset, widthBytes, value);
    }

    @Override
    public void reset() {
        device.reset();
    }

    @Override
    public void close() {
        closed = true;
        Thread thread = worker;
        boolean interrupted = false;
        while (thread != null && thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        device.close();
        wire.close();
    }
}
