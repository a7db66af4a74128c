package dev.bascule.nic;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A card that is one port and has no clock. */
final class OnePortAdapter implements NicAdapter {
    private static final int NO_DEVICE = 0xFFFF;

    private final DeviceBacking backing;
    private final Function<NicOptions, Nic> opener;
    private @Nullable Nic port;
    private boolean closed;

    OnePortAdapter(DeviceBacking backing, Function<NicOptions, Nic> opener) {
        this.backing = backing;
        this.opener = opener;
    }

    @Override
    public String name() {
        return backing.info().toString();
    }

    @Override
    public int ports() {
        return 1;
    }

    @Override
    public Nic openPort(int index, NicOptions options) {
        if (closed) {
            throw new IllegalStateException(name() + " is closed");
        }
        Objects.checkIndex(index, 1);
        if (port != null) {
            throw new DeviceException("open port 0", name(), "it was opened before",
                    "open the card again for a port with other options");
        }
        Nic opened = opener.apply(options);
        port = opened;
        return opened;
    }

    @Override
    public void check() {
        Nic opened = port;
        if (opened != null) {
            opened.check();
        } else if (backing.config().read16(0) == NO_DEVICE) {
            throw new DeviceRemovedException("look at the card", name());
        }
    }

    @Override
    public OptionalLong clockNanos() {
        return OptionalLong.empty();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Nic opened = port;
        NicAdapter.closeAll(opened == null ? List.of() : List.of(opened), backing);
    }
}
