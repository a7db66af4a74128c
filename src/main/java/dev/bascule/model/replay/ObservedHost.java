package dev.bascule.model.replay;

import dev.bascule.device.DmaAccess;
import dev.bascule.model.replay.Action.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Host of a device whose every act an observer sees, if there is one. Without one nothing is allocated.
 * <p>
 * Thread rule: that of the device.
 */
public final class ObservedHost {
    private final DmaAccess memory;
    private final @Nullable Consumer<Action> observer;
    private long cause;
    private long lastCause;

    /** The host's memory, and who sees what is done to it. */
    public ObservedHost(DmaAccess memory, @Nullable Consumer<Action> observer) {
        this.memory = memory;
        this.observer = observer;
    }

    /** Begins what is done for another frame; says its number. */
    public long next() {
        cause = ++lastCause;
        return cause;
    }

    /** Goes on with what is done for a frame; 0 for a register write. */
    public void resume(long number) {
        cause = number;
    }

    /** Reads; false if the host refuses it. */
    public boolean read(Kind kind, int stream, long address, MemorySegment to, int lengthBytes) {
        if (observer != null) {
            observer.accept(new Action(kind, stream, address, lengthBytes, Action.NO_DATA, cause));
        }
        return memory.read(address, to, 0, lengthBytes);
    }

    /** Writes; false if the host refuses it. */
    public boolean write(Kind kind, int stream, long address, MemorySegment from, long offset, int lengthBytes) {
        if (observer != null) {
            byte[] data = from.asSlice(offset, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
            observer.accept(new Action(kind, stream, address, lengthBytes, data, cause));
        }
        return memory.write(address, from, offset, lengthBytes);
    }

    /** A frame leaves a port. */
    public void frame(int port, MemorySegment data, int lengthBytes) {
        if (observer != null) {
            observer.accept(new Action(Kind.FRAME, port, 0, lengthBytes,
                    data.asSlice(0, lengthBytes).toArray(ValueLayout.JAVA_BYTE), cause));
        }
    }

    /** An interrupt is sent; {@code late} if it was held back and so is for no one frame. */
    public void interrupt(int vector, boolean late) {
        if (observer != null) {
            observer.accept(new Action(Kind.INTERRUPT, vector, 0, 0, Action.NO_DATA, late ? 0 : cause));
        }
    }
}
