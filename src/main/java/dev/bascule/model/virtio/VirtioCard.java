package dev.bascule.model.virtio;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.model.CountedWire;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.ring.IdleStrategy;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A virtio network card with a wire, and a thread that takes frames from it. Thread rule: one lock, for all of it. */
public final class VirtioCard implements DeviceModel {
    private static final long MAC_ADDRESS = 0x0200_0000_0001L;
    private static final int FRAMES = 64;
    private static final int SPINS_BEFORE_PARK = 2_000;
    private static final long PARK_NANOS = 50_000;

    private final ReentrantLock busy = new ReentrantLock();
    private final CountedWire wire;
    private final WireEnd.FrameSink arrival = new Arrival();
    private final VirtioNetModel model = new VirtioNetModel(MAC_ADDRESS, true);
    private volatile boolean closed;
    private @Nullable Thread worker;

    /** Its one port is plugged into the wire, which is closed with it. */
    public VirtioCard(CountedWire wire) {
        this.wire = wire;
        model.connectWire(frame -> wire.transmit(frame, 0, frame.length));
    }

    @Override
    public String name() {
        return model.name();
    }

    @Override
    public List<Bar> bars() {
        return model.bars();
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return model.powerOnConfig();
    }

    @Override
    public void connect(DevicePort port) {
        model.connect(port);
        worker = Thread.ofPlatform().daemon().name("bascule-virtio").start(() -> work(port));
    }

    private void work(DevicePort port) {
        IdleStrategy idle = IdleStrategy.spinThenPark(SPINS_BEFORE_PARK, PARK_NANOS);
        while (!closed) {
            idle.idle(poll(port));
        }
    }

    private int poll(DevicePort port) {
        try {
            busy.lock();
            try {
                return wire.poll(arrival, FRAMES);
            } finally {
                busy.unlock();
            }
        } catch (RuntimeException | Error e) {
            port.failed(e);
            return 0;
        }
    }

    /** Frames lost so far. */
    public Losses losses() {
        busy.lock();
        try {
            return model.losses().plus(wire.losses());
        } finally {
            busy.unlock();
        }
    }

    private final class Arrival implements WireEnd.FrameSink {
        @Override
        public void frame(byte[] data, int offset, int lengthBytes) {
            model.receive(Arrays.copyOfRange(data, offset, offset + lengthBytes));
        }

        @Override
        public boolean offer(byte[] data, int offset, int lengthBytes) {
            return model.offer(Arrays.copyOfRange(data, offset, offset + lengthBytes));
        }
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        busy.lock();
        try {
            return model.read(bar, offset, widthBytes);
        } finally {
            busy.unlock();
        }
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        busy.lock();
        try {
            model.write(bar, offset, widthBytes, value);
        } finally {
            busy.unlock();
        }
    }

    @Override
    public void reset() {
        busy.lock();
        try {
            model.reset();
        } finally {
            busy.unlock();
        }
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
        wire.close();
    }
}
