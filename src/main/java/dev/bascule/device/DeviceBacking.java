package dev.bascule.device;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PartWindow;
import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A device as its driver sees it, whatever is behind: a kernel VFIO device, a vfio-user socket, or a model in process.
 * Control registers go through {@link Registers}; queues, buffers and doorbells are memory.
 * <p>
 * Thread rule: control path, one owner; {@link Registers} and {@link Window}s have their own rules. Errors: a
 * {@link DeviceException} naming step, object and remedy; {@link DeviceRemovedException} once the device is known to be
 * gone; after {@link #close()} every method is an {@link IllegalStateException}.
 */
public interface DeviceBacking extends AutoCloseable {
    /** The device's identity. */
    DeviceInfo info();

    /** The implemented BARs by rising index. */
    List<Bar> bars();

    /** The BAR with this index; {@link DeviceException} when it does not exist. */
    default Bar bar(int index) {
        for (Bar bar : bars()) {
            if (bar.index() == index) {
                return bar;
            }
        }
        throw new DeviceException("look up BAR " + index, info().toString(), "the device does not implement it",
                "use one of " + bars().stream().map(Bar::index).toList());
    }

    /** Register access to a BAR. */
    Registers registers(int bar);

    /** Config space, 256 or 4096 bytes. */
    Registers config();

    /**
     * Maps part of a BAR as memory of the type its hardware mapping has.
     *
     * @return the mapping, alive until {@link #close()}
     */
    MemorySegment memory(int bar, long offset, long lengthBytes);

    /** A new window of the calling thread on a wholly mappable BAR; an unavailable type is a {@link DeviceException}. */
    Window window(int bar, MemoryType type);

    /** A window on a part of a BAR, whole pages, which must be mappable. */
    default Window window(int bar, long offset, long lengthBytes, MemoryType type) {
        return new PartWindow(window(bar, type), offset, lengthBytes);
    }

    /** Address space that the device reaches by DMA. */
    AddressSpace addressSpace();

    /** Lets the device start DMA and message interrupts, or stops it. Off after open and after reset. */
    void setBusMaster(boolean enabled);

    /** Vectors the device has of a kind; 0 when it has none. */
    int interruptCount(InterruptKind kind);

    /**
     * Opens an interrupt vector and enables the kind.
     *
     * @param handler run after each delivery on a thread of the backing, must not block; null to poll, wait or use the
     *     eventfd
     */
    Interrupt openInterrupt(InterruptKind kind, int vector, @Nullable Runnable handler);

    /**
     * Nanoseconds since an arbitrary origin, by which drivers wait for the device and give up: {@link System#nanoTime},
     * or the time of a simulated device that tells it, which may run slower or faster. Any thread.
     */
    default long nanoTime() {
        return System.nanoTime();
    }

    /** Function-level reset; interrupts, bus mastering and registers are as after power-on, DMA mappings stay. */
    void reset();

    /** Stops the device, gives back vectors and mappings in reverse order. Twice is harmless. */
    @Override
    void close();
}
