package dev.bascule.vfiouser;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.HandlerThread;
import dev.bascule.pci.Capabilities;
import dev.bascule.pci.Capability;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.MsixCapability;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The interrupts of a served device, as its driver sees them. Handlers run one after the other on a thread of their own,
 * which starts with the first of them.
 */
final class VfioUserInterrupts implements AutoCloseable {
    private final ClientConnection connection;
    private final IntFunction<Registers> registers;
    private final Registers config;
    private final int[] counts = new int[InterruptKind.values().length];
    private final @Nullable MsixCapability msix;
    private final int msi;
    private final Map<Long, VfioUserInterrupt> open = new HashMap<>();
    private @Nullable HandlerThread handlers;

    VfioUserInterrupts(ClientConnection connection, ConfigSpace space, Registers config,
            IntFunction<Registers> registers, int kinds) {
        this.connection = connection;
        this.config = config;
        this.registers = registers;
        this.msix = MsixCapability.of(space).orElse(null);
        this.msi = Capabilities.of(space).find(Capability.MSI).map(Capability::offset).orElse(0);
        for (int i = 0; i < Math.min(kinds, counts.length); i++) {
            counts[i] = ask(i);
        }
    }

    /** Nanoseconds by which waits count. */
    long nanoTime() {
        return connection.nanoTime();
    }

    /** Longest of these waits by the wall clock after which {@link #nanoTime} is to be looked at again. */
    long nap(long millis) {
        return connection.nap(millis);
    }

    private int ask(int index) {
        String step = "ask for interrupts " + InterruptKind.values()[index];
        MemorySegment body = MemorySegment.ofArray(new byte[Protocol.IRQ_INFO_BYTES]);
        Fields.put32(body, 0, Protocol.IRQ_INFO_BYTES);
        Fields.put32(body, 8, index);
        Message reply;
        try {
            reply = connection.request(step, Protocol.GET_IRQ_INFO, body, MemorySegment.NULL, List.of());
        } catch (DeviceRemovedException e) {
            throw e;
        } catch (DeviceException e) {
            return 0; // as kernel VFIO refuses kinds that the device has not
        }
        try {
            int count = reply.bodyBytes < Protocol.IRQ_INFO_BYTES ? -1 : reply.get32(12);
            if (count < 0 || count > 2048) {
                throw connection.malformed(step, "the reply is too short, or its count " + count);
            }
            return count;
        } finally {
            connection.recycle(reply);
        }
    }

    int count(InterruptKind kind) {
        return counts[kind.ordinal()];
    }

    Interrupt open(InterruptKind kind, int vector, @Nullable Runnable handler) {
        String object = connection + " " + kind + " vector " + vector;
        if (vector < 0 || vector >= count(kind)) {
            throw new DeviceException("open interrupt", object, "the device has " + count(kind) + " of that kind",
                    "choose a vector below that");
        }
        VfioUserInterrupt interrupt = new VfioUserInterrupt(this, kind, vector, handler);
        synchronized (open) {
            if (open.putIfAbsent(key(kind, vector), interrupt) != null) {
                interrupt.line().close();
                throw new DeviceException("open interrupt", object, "it is open already", "close it first");
            }
        }
        try {
            if (handler != null) {
                watch(interrupt);
            }
            set("open interrupt", kind, vector, Protocol.DATA_EVENTFD | Protocol.ACTION_TRIGGER,
                    List.of(interrupt.line().fd()));
            enable(kind);
        } catch (RuntimeException e) {
            unwatch(interrupt);
            interrupt.line().close();
            throw e;
        }
        return interrupt;
    }

    private void enable(InterruptKind kind) {
        if (kind == InterruptKind.MSIX && msix != null) {
            config.write16(msix.offset() + 2, config.read16(msix.offset() + 2) | 0x8000);
        }
    }

    private static long key(InterruptKind kind, int vector) {
        return (long) kind.ordinal() << 32 | vector;
    }

    private void set(String step, InterruptKind kind, int vector, int flags, List<Fd> descriptors) {
        MemorySegment body = MemorySegment.ofArray(new byte[Protocol.IRQ_SET_BYTES]);
        Fields.put32(body, 0, Protocol.IRQ_SET_BYTES);
        Fields.put32(body, 4, flags);
        Fields.put32(body, 8, kind.ordinal());
        Fields.put32(body, 12, vector);
        Fields.put32(body, 16, 1);
        connection.command(step, Protocol.SET_IRQS, body, MemorySegment.NULL, descriptors);
    }

    void setMasked(VfioUserInterrupt interrupt, boolean masked) {
        if (interrupt.kind().ordinal() <= InterruptKind.MSIX.ordinal()) {
            set(masked ? "mask interrupt" : "unmask interrupt", interrupt.kind(), interrupt.vector(),
                    Protocol.DATA_NONE | (masked ? Protocol.ACTION_MASK : Protocol.ACTION_UNMASK), List.of());
        }
    }

    /** A bit of the table of pending messages that the device keeps; a pin has none. */
    boolean pending(VfioUserInterrupt interrupt) {
        int vector = interrupt.vector();
        if (interrupt.kind() == InterruptKind.MSIX && msix != null) {
            long at = msix.pbaOffset() + vector / 32 * 4L;
            return (registers.apply(msix.pbaBar()).read32(at) >>> vector % 32 & 1) != 0;
        }
        return interrupt.kind() == InterruptKind.MSI && msi != 0 && (config.read32(msi + 20) >>> vector & 1) != 0;
    }

    void forget(VfioUserInterrupt interrupt) {
        unwatch(interrupt);
        if (!connection.isGone()) {
            try {
                set("close interrupt", interrupt.kind(), interrupt.vector(),
                        Protocol.DATA_EVENTFD | Protocol.ACTION_TRIGGER, List.of());
            } catch (DeviceRemovedException e) {
                // then it is closed as well
            }
        }
    }

    private void watch(VfioUserInterrupt interrupt) {
        synchronized (open) {
            if (handlers == null) {
                handlers = new HandlerThread("vfio-user interrupts");
            }
            handlers.add(interrupt.line(), interrupt::dispatch);
        }
    }

    private void unwatch(VfioUserInterrupt interrupt) {
        synchronized (open) {
            open.remove(key(interrupt.kind(), interrupt.vector()), interrupt);
            if (handlers != null) {
                handlers.remove(interrupt.line());
            }
        }
    }

    /** The server is gone: raises the interrupt of the device's removal, if one is open. */
    void tellRemoval() {
        VfioUserInterrupt interrupt;
        synchronized (open) {
            interrupt = open.get(key(InterruptKind.REQUEST, 0));
        }
        if (interrupt != null) {
            interrupt.signal();
        }
    }

    /** Closes all of them, whatever the server answers; its first refusal is thrown afterwards. */
    void closeAll() {
        List<VfioUserInterrupt> all;
        synchronized (open) {
            all = new ArrayList<>(open.values());
        }
        DeviceException refused = null;
        for (VfioUserInterrupt interrupt : all) {
            try {
                interrupt.close();
            } catch (DeviceException e) {
                refused = refused == null ? e : refused;
            }
        }
        if (refused != null) {
            throw refused;
        }
    }

    @Override
    public void close() {
        try {
            closeAll();
        } catch (DeviceException e) {
            // the server lets go when the connection ends
        }
        HandlerThread running;
        synchronized (open) {
            running = handlers;
            handlers = null;
        }
        if (running != null) {
            running.close();
        }
    }
}
