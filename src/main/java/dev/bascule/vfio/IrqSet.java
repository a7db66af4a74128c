package dev.bascule.vfio;

import dev.bascule.device.InterruptKind;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.generated.vfio_h;
import dev.bascule.ffi.generated.vfio_irq_info;
import dev.bascule.ffi.generated.vfio_irq_set;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The interrupt requests of a VFIO device; the kinds' order is the kernel's order of indices. */
final class IrqSet {
    private static final int HEADER_BYTES = 20;
    private static final int NO_FD = -1;

    private final Fd device;

    IrqSet(Fd device) {
        this.device = device;
    }

    /** Vectors of a kind; 0 where the device has none. */
    int count(InterruptKind kind) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = vfio_irq_info.allocate(arena);
            vfio_irq_info.argsz(info, (int) vfio_irq_info.sizeof());
            vfio_irq_info.index(info, kind.ordinal());
            device.ioctl("VFIO_DEVICE_GET_IRQ_INFO", vfio_h.VFIO_DEVICE_GET_IRQ_INFO(), info);
            boolean byEventFd = (vfio_irq_info.flags(info) & vfio_h.VFIO_IRQ_INFO_EVENTFD()) != 0;
            return byEventFd ? vfio_irq_info.count(info) : 0;
        } catch (NativeException e) {
            if (e.errno() == Errno.EINVAL) { // such as the error interrupt of a conventional PCI device
                return 0;
            }
            throw VfioErrors.of("ask for " + kind + " interrupts", device.name(), e);
        }
    }

    /**
     * Enables a kind with room for {@code vectors}, all silent so far.
     *
     * @return 0, or how many vectors the machine can give when these are too many
     */
    int enable(InterruptKind kind, int vectors) {
        int[] none = new int[vectors];
        java.util.Arrays.fill(none, NO_FD);
        return eventFds(kind, 0, none);
    }

    /** Gives a vector an eventfd. */
    int eventFd(InterruptKind kind, int vector, int fd) {
        return eventFds(kind, vector, fd);
    }

    /** Takes a vector's eventfd away. */
    void silence(InterruptKind kind, int vector) {
        eventFds(kind, vector, NO_FD);
    }

    private int eventFds(InterruptKind kind, int start, int... fds) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = header(arena, kind, start, fds.length, 4 * fds.length,
                    vfio_h.VFIO_IRQ_SET_DATA_EVENTFD() | vfio_h.VFIO_IRQ_SET_ACTION_TRIGGER());
            MemorySegment.copy(fds, 0, set, ValueLayout.JAVA_INT, HEADER_BYTES, fds.length);
            return device.ioctl("VFIO_DEVICE_SET_IRQS", vfio_h.VFIO_DEVICE_SET_IRQS(), set);
        }
    }

    /** Lets the kernel deliver a vector as if the device had raised it. */
    void trigger(InterruptKind kind, int vector) {
        withoutData(kind, vector, 1, vfio_h.VFIO_IRQ_SET_ACTION_TRIGGER());
    }

    /** Masks or unmasks the pin. */
    void mask(InterruptKind kind, boolean masked) {
        withoutData(kind, 0, 1, masked ? vfio_h.VFIO_IRQ_SET_ACTION_MASK() : vfio_h.VFIO_IRQ_SET_ACTION_UNMASK());
    }

    /** Switches a kind off with all its vectors. */
    void disable(InterruptKind kind) {
        withoutData(kind, 0, 0, vfio_h.VFIO_IRQ_SET_ACTION_TRIGGER());
    }

    private void withoutData(InterruptKind kind, int start, int count, int action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = header(arena, kind, start, count, 0, vfio_h.VFIO_IRQ_SET_DATA_NONE() | action);
            device.ioctl("VFIO_DEVICE_SET_IRQS", vfio_h.VFIO_DEVICE_SET_IRQS(), set);
        }
    }

    private static MemorySegment header(Arena arena, InterruptKind kind, int start, int count, int dataBytes,
            int flags) {
        MemorySegment set = arena.allocate((long) HEADER_BYTES + dataBytes, 8);
        vfio_irq_set.argsz(set, HEADER_BYTES + dataBytes);
        vfio_irq_set.flags(set, flags);
        vfio_irq_set.index(set, kind.ordinal());
        vfio_irq_set.start(set, start);
        vfio_irq_set.count(set, count);
        return set;
    }
}
