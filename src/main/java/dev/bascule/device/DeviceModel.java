package dev.bascule.device;

import dev.bascule.pci.ConfigSpace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The device side: what a simulated device implements once, to be hosted in process (loopback) or served to another
 * one (vfio-user). The host of the model handles config space, BAR decoding, the MSI-X table and pending bits; the model
 * sees only accesses to its own registers.
 * <p>
 * A model never throws for anything a driver may do: an access to nothing reads 0 and is dropped when written.
 * <p>
 * Thread rule: the host of the model calls {@code read}, {@code write}, {@code configWritten} and {@code reset} one at a
 * time; the model may run threads of its own between {@code connect} and {@code close}.
 */
public interface DeviceModel extends AutoCloseable {
    /** Name for people, such as {@code smartnic}. */
    String name();

    /** Implemented BARs of the device, the same at every call. */
    List<Bar> bars();

    /** A new config space as after power-on, with identity, BARs and capabilities. */
    ConfigSpace powerOnConfig();

    /** Plugs the device in; called once, before any access. */
    void connect(DevicePort port);

    /** Reads 1, 2, 4 or 8 bytes of a BAR at an aligned offset, zero-extended. */
    long read(int bar, long offset, int widthBytes);

    /** Writes the low 1, 2, 4 or 8 bytes of {@code value} to a BAR at an aligned offset. */
    void write(int bar, long offset, int widthBytes, long value);

    /** The memory behind a mappable BAR; null where there is none. Accesses to it do not reach the model. */
    default @Nullable MappableMemory memory(int bar) {
        return null;
    }

    /** Called after the driver changed config space, for models that watch it. */
    default void configWritten(int offset, int widthBytes) {}

    /** Function-level reset: all state as after power-on; DMA and interrupts stop before this returns. */
    void reset();

    /** Unplugged: stops threads, frees memory. */
    @Override
    default void close() {}
}
