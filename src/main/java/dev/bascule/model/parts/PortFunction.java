package dev.bascule.model.parts;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.pci.ConfigSpace;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A {@link PortDevice} as a PCI function with one BAR, and what its card does with frames that arrive. Thread rule: one
 * lock, for all of it, once it is {@link #locked}.
 */
public final class PortFunction implements DeviceModel {
    /** Wires of the ports. */
    @FunctionalInterface
    public interface Arrivals {
        /** Hands over frames that have arrived at a port, see {@link #frame}; says how many. */
        int poll(int port);
    }

    private static final int WORK = 64;

    private final Lock busy = new ReentrantLock();
    private final String name;
    private final List<Bar> bars;
    private final Supplier<ConfigSpace> config;
    private final HostPort host;
    private final PortDevice device;
    private final boolean worksOnRead;
    private final int ports;

    /**
     * Plugs wires into the ports of a device.
     *
     * @param name for people
     * @param ports how many it has
     * @param wires how many there are; {@link IllegalArgumentException} if that is another number
     * @param bar its only one
     * @param config config space as after power-on
     * @param host the device's way to the host
     * @param worksOnRead whether a driver that waits by reading registers sees the device go on
     */
    public PortFunction(String name, int ports, int wires, Bar bar, Supplier<ConfigSpace> config, HostPort host,
            PortDevice device, boolean worksOnRead) {
        if (wires != ports) {
            throw new IllegalArgumentException(name + ": " + wires + " wires for " + ports + " ports; each needs one");
        }
        this.name = name;
        bars = List.of(bar);
        this.config = config;
        this.host = host;
        this.device = device;
        this.worksOnRead = worksOnRead;
        this.ports = ports;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Bar> bars() {
        return bars;
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return config.get();
    }

    @Override
    public void connect(DevicePort devicePort) {
        host.connect(devicePort);
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        if (bar != 0) {
            return 0;
        }
        if (worksOnRead) {
            device.work(WORK);
        }
        return device.read(offset, widthBytes);
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        if (bar == 0) {
            device.write(offset, widthBytes, value);
        }
    }

    @Override
    public void reset() {
        device.reset();
    }

    /** The function for a card, which is accessed under the lock that its thread takes as well. */
    public DeviceModel locked() {
        return new LockedModel(this, busy);
    }

    /** One round of the card's thread; says how much was done, 0 only if nothing goes on by itself. */
    public int work(Arrivals arrivals) {
        busy.lock();
        try {
            int done = 0;
            for (int port = 0; port < ports; port++) {
                done += arrivals.poll(port);
            }
            done += device.work(WORK);
            return done == 0 && device.isWaitingForTime() ? 1 : done;
        } finally {
            busy.unlock();
        }
    }

    /** Something that the device is asked, {@link #locked}. */
    public <T> T ask(Supplier<T> question) {
        busy.lock();
        try {
            return question.get();
        } finally {
            busy.unlock();
        }
    }

    /** A frame arrives. In {@link #work}, as {@link #offer}. */
    public void frame(int port, byte[] data, int offset, int lengthBytes) {
        if (!device.fits(port, lengthBytes)) {
            device.work(WORK); // a burst of the wire is one of this loop only
        }
        device.receive(port, data, offset, lengthBytes);
    }

    /** A frame arrives unless it would be lost now; false if it has to wait. */
    public boolean offer(int port, byte[] data, int offset, int lengthBytes) {
        if (!device.hasRoom(port, lengthBytes)) {
            device.work(WORK); // what came before goes on its way
            if (!device.hasRoom(port, lengthBytes)) {
                return false;
            }
        }
        device.receive(port, data, offset, lengthBytes);
        return true;
    }
}
