package dev.bascule.nic;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The adapter of {@link RingPorts}. */
final class RingAdapter implements NicAdapter {
    private final String kind;
    private final DeviceBacking backing;
    private final RingPorts ports;
    private final BusMaster bus;
    private final @Nullable RingNic[] open;
    private boolean closed;

    RingAdapter(String kind, DeviceBacking backing, RingPorts ports) {
        this.kind = kind;
        this.backing = backing;
        this.ports = ports;
        bus = new BusMaster(backing);
        open = new RingNic[ports.count()];
    }

    @Override
    public String name() {
        return kind + " " + backing.info();
    }

    @Override
    public int ports() {
        return open.length;
    }

    @Override
    public Nic openPort(int port, NicOptions options) {
        if (closed) {
            throw new IllegalStateException(name() + " is closed");
        }
        Objects.checkIndex(port, open.length);
        RingNic before = open[port];
        if (before != null && !before.isClosed()) {
            throw new DeviceException("open port " + port, name(), "it is open already", "close it first");
        }
        RingNic opened = RingNic.open(name() + " port " + port, port, backing, bus,
                wishes -> ports.port(port, wishes), options);
        open[port] = opened;
        return opened;
    }

    @Override
    public void check() {
        ports.check();
    }

    @Override
    public OptionalLong clockNanos() {
        return ports.clockNanos();
    }

    @Override
    public void setClockNanos(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException("a clock cannot be set to " + nanos + " ns");
        }
        ports.setClockNanos(nanos);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        NicAdapter.closeAll(Stream.of(open).filter(Objects::nonNull).toList(), backing);
    }
}
