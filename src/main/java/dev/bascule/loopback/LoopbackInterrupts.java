package dev.bascule.loopback;

import dev.bascule.device.DeviceException;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.pci.Capabilities;
import dev.bascule.pci.Capability;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.MsiVectors;
import dev.bascule.pci.MsixCapability;
import dev.bascule.pci.MsixTable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The interrupts of a loopback device: which vectors are open, masked or pending, and how a raise becomes a delivery.
 * Handlers run on a thread of their own, one after the other, so that they may use the device.
 */
final class LoopbackInterrupts implements AutoCloseable {
    private final Object lock = new Object();
    private final Map<InterruptKind, Map<Integer, LoopbackInterrupt>> open = new EnumMap<>(InterruptKind.class);
    private final String name;
    private final long delayNanos;
    private final @Nullable FaultInjector faults;
    private final @Nullable MsixTable msix;
    private final @Nullable MsixCapability msixCapability;
    private final MsiVectors msi;
    private final boolean pin;
    private final List<LoopbackInterrupt> toDeliver = new ArrayList<>();
    private ConfigSpace config;
    private boolean asserted;
    private boolean pinMasked;
    private long dropped;
    private @Nullable ScheduledThreadPoolExecutor timer;

    LoopbackInterrupts(String name, ConfigSpace config, long delayNanos, @Nullable FaultInjector faults) {
        this.name = name;
        this.config = config;
        this.delayNanos = delayNanos;
        this.faults = faults;
        this.msixCapability = MsixCapability.of(config).orElse(null);
        this.msix = msixCapability == null
                ? null
                : new MsixTable(msixCapability, vector -> queue(InterruptKind.MSIX, vector));
        this.msi = new MsiVectors(config,
                Capabilities.of(config).find(Capability.MSI).map(Capability::offset).orElse(0),
                vector -> queue(InterruptKind.MSI, vector));
        this.pin = config.read8(0x3d) != 0;
    }

    @Nullable
    MsixTable msix() {
        return msix;
    }

    int count(InterruptKind kind) {
        return switch (kind) {
            case INTX -> pin ? 1 : 0;
            case MSI -> msi.count();
            case MSIX -> msix == null ? 0 : msix.vectors();
            case ERROR, REQUEST -> 1;
        };
    }

    /** Raises that went nowhere: not enabled, or no such vector. */
    long dropped() {
        synchronized (lock) {
            return dropped;
        }
    }

    Interrupt open(InterruptKind kind, int vector, @Nullable Runnable handler) {
        synchronized (lock) {
            String object = name + " " + kind + " vector " + vector;
            if (vector < 0 || vector >= count(kind)) {
                throw new DeviceException("open interrupt", object, "the device has " + count(kind) + " of that kind",
                        "choose a vector below that");
            }
            Map<Integer, LoopbackInterrupt> vectors = open.computeIfAbsent(kind, k -> new HashMap<>());
            if (vectors.containsKey(vector)) {
                throw new DeviceException("open interrupt", object, "it is open already", "close it first");
            }
            LoopbackInterrupt interrupt = new LoopbackInterrupt(this, kind, vector, handler);
            vectors.put(vector, interrupt);
            enable(kind, vector);
            return interrupt;
        }
    }

    private void enable(InterruptKind kind, int vector) {
        if (kind == InterruptKind.MSIX && msix != null && msixCapability != null) {
            int at = msixCapability.offset() + 2;
            config.write(at, 2, config.read16(at) | 0x8000);
            msix.setMasked(vector, false);
            msix.setControl(true, msixCapability.functionMasked(config));
        } else if (kind == InterruptKind.MSI) {
            msi.enable();
        } else if (kind == InterruptKind.INTX) {
            pinMasked = false;
        }
    }

    void forget(LoopbackInterrupt interrupt) {
        synchronized (lock) {
            Map<Integer, LoopbackInterrupt> vectors = open.get(interrupt.kind());
            if (vectors == null || !vectors.remove(interrupt.vector(), interrupt)) {
                return;
            }
            if (interrupt.kind() == InterruptKind.MSIX && msix != null) {
                msix.setMasked(interrupt.vector(), true);
            } else if (interrupt.kind() == InterruptKind.MSI && vectors.isEmpty()) {
                msi.disable(); // as the kernel does, so that the pin works again
            }
        }
    }

    void setMasked(LoopbackInterrupt interrupt, boolean masked) {
        synchronized (lock) {
            switch (interrupt.kind()) {
                case MSIX -> {
                    if (msix != null) {
                        msix.setMasked(interrupt.vector(), masked);
                    }
                }
                case MSI -> msi.setMasked(interrupt.vector(), masked);
                case INTX -> {
                    pinMasked = masked;
                    assertPin();
                }
                case ERROR, REQUEST -> {
                }
            }
        }
        deliverQueued();
    }

    boolean pending(LoopbackInterrupt interrupt) {
        synchronized (lock) {
            return switch (interrupt.kind()) {
                case MSIX -> msix != null && msix.pending(interrupt.vector());
                case MSI -> msi.pending(interrupt.vector());
                case INTX -> asserted && pinMasked;
                case ERROR, REQUEST -> false;
            };
        }
    }

    /** The model sends a message interrupt. */
    void raise(int vector) {
        synchronized (lock) {
            if (msix != null && msix.enabled()) {
                if (vector >= 0 && vector < msix.vectors()) {
                    msix.raise(vector);
                } else {
                    dropped++;
                }
            } else if (!msi.raise(vector)) {
                dropped++;
            }
        }
        deliverQueued();
    }

    /** The model drives its pin. A delivery masks the pin until the driver unmasks it, as VFIO does. */
    void setPin(boolean level) {
        synchronized (lock) {
            asserted = level;
            assertPin();
        }
        deliverQueued();
    }

    private void assertPin() {
        if (asserted && !pinMasked) {
            pinMasked = true;
            queue(InterruptKind.INTX, 0);
        }
    }

    /** The device reports an error or its removal. */
    void event(InterruptKind kind) {
        synchronized (lock) {
            queue(kind, 0);
        }
        deliverQueued();
    }

    /** The driver wrote config space: enables and masks may have changed. */
    void configChanged() {
        synchronized (lock) {
            if (msix != null && msixCapability != null) {
                msix.setControl(msixCapability.enabled(config), msixCapability.functionMasked(config));
            }
            msi.deliverPending();
        }
        deliverQueued();
    }

    /** An access of the driver to table or pending bits. */
    long readTable(MsixTable table, int bar, long offset, int widthBytes) {
        synchronized (lock) {
            return table.read(bar, offset, widthBytes);
        }
    }

    void writeTable(MsixTable table, int bar, long offset, int widthBytes, long value) {
        synchronized (lock) {
            table.write(bar, offset, widthBytes, value);
        }
        deliverQueued();
    }

    /** After a reset: nothing is open, enabled, masked or pending. */
    void reset(ConfigSpace fresh) {
        closeAll();
        synchronized (lock) {
            config = fresh;
            msi.reset(fresh);
            asserted = false;
            pinMasked = false;
            toDeliver.clear();
            if (msix != null) {
                msix.reset();
            }
        }
    }

    private void queue(InterruptKind kind, int vector) {
        LoopbackInterrupt interrupt = open.getOrDefault(kind, Map.of()).get(vector);
        if (interrupt == null) {
            dropped++;
        } else {
            toDeliver.add(interrupt);
        }
    }

    private void deliverQueued() {
        while (true) {
            LoopbackInterrupt interrupt;
            FaultRule fault;
            synchronized (lock) {
                if (toDeliver.isEmpty()) {
                    return;
                }
                interrupt = toDeliver.removeFirst();
                fault = faults == null || interrupt.kind() == InterruptKind.REQUEST
                        ? null
                        : faults.next(interrupt.vector());
            }
            switch (fault == null ? null : fault.kind()) {
                case DROP, REMOVE, DEAD -> {
                }
                case DELAY, REORDER -> interrupt.deliver(delayNanos + (fault == null ? 0 : fault.amount()));
                case DUPLICATE -> {
                    interrupt.deliver(delayNanos);
                    interrupt.deliver(delayNanos);
                }
                case TEAR, CORRUPT -> interrupt.deliver(delayNanos); // a message without content
                case null -> interrupt.deliver(delayNanos);
            }
        }
    }

    /** Runs on the device's interrupt thread. */
    void later(Runnable action, long nanos) {
        synchronized (lock) {
            if (timer == null) {
                timer = new ScheduledThreadPoolExecutor(1,
                        Thread.ofPlatform().daemon().name(name + " interrupts").factory());
            }
            timer.schedule(action, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void closeAll() {
        List<LoopbackInterrupt> all = new ArrayList<>();
        synchronized (lock) {
            open.values().forEach(vectors -> all.addAll(vectors.values()));
        }
        all.forEach(LoopbackInterrupt::close);
    }

    @Override
    public void close() {
        closeAll();
        synchronized (lock) {
            if (timer != null) {
                timer.shutdownNow();
            }
        }
    }
}
