package dev.bascule.loopback;

import dev.bascule.device.DeviceException;
import dev.bascule.device.HostedInterrupts;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.pci.ConfigSpace;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The interrupts of a loopback device: which vectors are open, and the latency and faults of their deliveries. Handlers
 * run on a thread of their own, one after the other, so that they may use the device.
 */
final class LoopbackInterrupts implements AutoCloseable {
    private final HostedInterrupts<LoopbackInterrupt> hosted;
    private final String name;
    private final long delayNanos;
    private final @Nullable FaultInjector faults;
    private @Nullable ScheduledThreadPoolExecutor timer;

    LoopbackInterrupts(String name, ConfigSpace config, long delayNanos, @Nullable FaultInjector faults) {
        this.name = name;
        this.delayNanos = delayNanos;
        this.faults = faults;
        this.hosted = new HostedInterrupts<>(config, true, this::deliver);
    }

    /** Vectors, masks and pending bits, and the device's end of them. */
    HostedInterrupts<LoopbackInterrupt> hosted() {
        return hosted;
    }

    Interrupt open(InterruptKind kind, int vector, @Nullable Runnable handler) {
        synchronized (hosted) {
            String object = name + " " + kind + " vector " + vector;
            int count = hosted.count(kind);
            if (vector < 0 || vector >= count) {
                throw new DeviceException("open interrupt", object, "the device has " + count + " of that kind",
                        "choose a vector below that");
            }
            if (hosted.taker(kind, vector) != null) {
                throw new DeviceException("open interrupt", object, "it is open already", "close it first");
            }
            LoopbackInterrupt interrupt = new LoopbackInterrupt(this, kind, vector, handler);
            hosted.connect(kind, vector, interrupt);
            return interrupt;
        }
    }

    void forget(LoopbackInterrupt interrupt) {
        synchronized (hosted) {
            if (hosted.taker(interrupt.kind(), interrupt.vector()) == interrupt) {
                hosted.connect(interrupt.kind(), interrupt.vector(), null);
            }
        }
    }

    /** After a reset: nothing is open, enabled, masked or pending. */
    void reset(ConfigSpace fresh) {
        closeAll();
        hosted.reset(fresh);
    }

    private void deliver(LoopbackInterrupt interrupt) {
        FaultRule fault = faults == null || interrupt.kind() == InterruptKind.REQUEST
                ? null
                : faults.next(interrupt.vector());
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

    /** Runs on the device's interrupt thread. */
    void later(Runnable action, long nanos) {
        synchronized (hosted) {
            if (timer == null) {
                timer = new ScheduledThreadPoolExecutor(1,
                        Thread.ofPlatform().daemon().name(name + " interrupts").factory());
            }
            timer.schedule(action, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void closeAll() {
        hosted.takers().forEach(LoopbackInterrupt::close);
    }

    @Override
    public void close() {
        closeAll();
        synchronized (hosted) {
            if (timer != null) {
                timer.shutdownNow();
            }
        }
    }
}
