package dev.bascule.model.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A {@link CardReplay} on a device that is driven as most are. */
public abstract class PortReplay extends CardReplay {
    /** Device whose acts the replay compares. */
    public interface Device {
        /** Value of BAR 0. */
        long read(long offset, int widthBytes);

        /** Write to BAR 0. */
        void write(long offset, int widthBytes, long value);

        /** A frame arrives at a port. */
        void receive(int port, byte[] data, int offset, int lengthBytes);

        /** Steps, so many at the most; says how many there were. */
        int work(int most);

        /** Whether it goes on once time has passed. */
        boolean isWaitingForTime();
    }

    private @Nullable Device device;
    private List<Action> actions = new ArrayList<>();

    /** A replay on a card of so many ports; {@code runNanos} pass in each run. */
    protected PortReplay(List<VectorLine> lines, int ports, long runNanos) {
        super(lines, ports, runNanos);
    }

    /** Takes the device, whose acts {@link #done} is told. */
    protected final <T extends Device> T on(T fresh) {
        device = fresh;
        return fresh;
    }

    private Device device() {
        return Objects.requireNonNull(device);
    }

    /** An act of the device. */
    protected final void done(Action action) {
        actions.add(action);
    }

    @Override
    protected final long read(long offset, int widthBytes) {
        return device().read(offset, widthBytes);
    }

    @Override
    protected final void write(long offset, int widthBytes, long value) {
        device().write(offset, widthBytes, value);
    }

    @Override
    protected final int work(int most) {
        return device().work(most);
    }

    @Override
    protected final boolean isWaitingForTime() {
        return device().isWaitingForTime();
    }

    @Override
    protected final void receive(int port, byte[] data, int offset, int lengthBytes) {
        device().receive(port, data, offset, lengthBytes);
    }

    @Override
    protected final List<Action> takeActions() {
        List<Action> taken = actions;
        actions = new ArrayList<>();
        return taken;
    }
}
