package dev.bascule.vfio;

import dev.bascule.device.DeviceException;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.HandlerThread;
import dev.bascule.ffi.NativeException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The interrupts of one device. Pin, MSI and MSI-X exclude each other, as the kernel wants it. */
final class VfioInterrupts implements AutoCloseable {
    private static final Set<InterruptKind> EXCLUSIVE = EnumSet.of(InterruptKind.INTX, InterruptKind.MSI,
            InterruptKind.MSIX);
    /** Vectors enabled at once; a device may have 2048, which no machine can give. */
    private static final int MOST_VECTORS = 256;

    private final IrqSet irqs;
    private final String name;
    private final Map<InterruptKind, Map<Integer, VfioInterrupt>> open = new EnumMap<>(InterruptKind.class);
    private final Map<InterruptKind, Integer> counts = new EnumMap<>(InterruptKind.class);
    private @Nullable HandlerThread thread;

    VfioInterrupts(Fd device, String name) {
        this.irqs = new IrqSet(device);
        this.name = name;
    }

    synchronized int count(InterruptKind kind) {
        return counts.computeIfAbsent(kind, irqs::count);
    }

    synchronized Interrupt open(InterruptKind kind, int vector, @Nullable Runnable handler) {
        int count = count(kind);
        if (vector < 0 || vector >= Math.min(count, MOST_VECTORS)) {
            throw new DeviceException("open interrupt", name + " " + kind + " vector " + vector, count == 0
                    ? "the device has no interrupt of this kind"
                    : "it has vectors 0 to " + (Math.min(count, MOST_VECTORS) - 1),
                    "ask interruptCount for what it has");
        }
        requireKind(kind);
        Map<Integer, VfioInterrupt> vectors = open.computeIfAbsent(kind, k -> new HashMap<>());
        if (vectors.containsKey(vector)) {
            throw new DeviceException("open interrupt", name + " " + kind + " vector " + vector, "it is open already",
                    "close it first");
        }
        EventFd eventFd = EventFd.create();
        VfioInterrupt interrupt = new VfioInterrupt(this, kind, vector, eventFd, handler);
        try {
            connect(kind, vector, eventFd, vectors.isEmpty());
        } catch (RuntimeException e) {
            eventFd.close();
            throw e;
        }
        vectors.put(vector, interrupt);
        if (handler != null) {
            thread().add(eventFd, interrupt::dispatch);
        }
        return interrupt;
    }

    private void requireKind(InterruptKind kind) {
        for (InterruptKind other : EXCLUSIVE) {
            Map<Integer, VfioInterrupt> vectors = open.get(other);
            if (EXCLUSIVE.contains(kind) && other != kind && vectors != null && !vectors.isEmpty()) {
                throw new DeviceException("open interrupt", name + " " + kind, other + " is in use",
                        "close all its vectors first; a device signals in one way at a time");
            }
        }
    }

    private void connect(InterruptKind kind, int vector, EventFd eventFd, boolean first) {
        try {
            if (first && (kind == InterruptKind.MSI || kind == InterruptKind.MSIX)) {
                int vectors = Math.min(count(kind), MOST_VECTORS);
                int possible = irqs.enable(kind, vectors);
                if (possible > 0) {
                    throw new DeviceException("enable " + kind, name, "this machine can give " + possible + " of "
                            + vectors + " vectors", "switch interrupt remapping on, or close other devices");
                }
            }
            irqs.eventFd(kind, vector, eventFd.fd().number());
        } catch (NativeException e) {
            throw VfioErrors.of("enable " + kind + " vector " + vector, name, e);
        }
    }

    private HandlerThread thread() {
        HandlerThread found = thread;
        if (found == null) {
            found = new HandlerThread("vfio " + name);
            thread = found;
        }
        return found;
    }

    /** Delivers a vector without the device, through the kernel's whole path: for self-tests. */
    synchronized void trigger(InterruptKind kind, int vector) {
        try {
            irqs.trigger(kind, vector);
        } catch (NativeException e) {
            throw VfioErrors.of("trigger " + kind + " vector " + vector, name, e);
        }
    }

    synchronized void maskPin(boolean masked) {
        try {
            irqs.mask(InterruptKind.INTX, masked);
        } catch (NativeException e) {
            throw VfioErrors.of((masked ? "mask" : "unmask") + " the interrupt pin", name, e);
        }
    }

    synchronized void wake(VfioInterrupt interrupt) {
        thread().again(interrupt::dispatch);
    }

    synchronized void forget(VfioInterrupt interrupt) {
        Map<Integer, VfioInterrupt> vectors = open.get(interrupt.kind());
        if (vectors == null || !vectors.remove(interrupt.vector(), interrupt)) {
            return;
        }
        if (thread != null && interrupt.hasHandler()) {
            thread.remove(interrupt.source());
        }
        try {
            if (vectors.isEmpty()) {
                irqs.disable(interrupt.kind());
            } else {
                irqs.silence(interrupt.kind(), interrupt.vector());
            }
        } catch (NativeException e) {
            throw VfioErrors.of("close " + interrupt.kind() + " vector " + interrupt.vector(), name, e);
        } finally {
            interrupt.source().close();
        }
    }

    /** Closes the pin, MSI and MSI-X, as a reset does. */
    void closeSignals() {
        for (InterruptKind kind : EXCLUSIVE) {
            closeAll(kind);
        }
    }

    private void closeAll(InterruptKind kind) {
        List<VfioInterrupt> all;
        synchronized (this) {
            all = new ArrayList<>(open.getOrDefault(kind, Map.of()).values());
        }
        all.forEach(VfioInterrupt::close);
    }

    @Override
    public void close() {
        for (InterruptKind kind : InterruptKind.values()) {
            closeAll(kind);
        }
        HandlerThread running;
        synchronized (this) {
            running = thread;
            thread = null;
        }
        if (running != null) {
            running.close();
        }
    }
}
