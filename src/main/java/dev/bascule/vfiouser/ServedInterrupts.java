package dev.bascule.vfiouser;

import dev.bascule.device.InterruptKind;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.pci.Capabilities;
import dev.bascule.pci.Capability;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.MsiVectors;
import dev.bascule.pci.MsixCapability;
import dev.bascule.pci.MsixTable;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The interrupts of a served device: which eventfd of the client a vector signals, what is masked, what is pending. A
 * vector counts as enabled and unmasked once the client gave it an eventfd, whatever its MSI-X table says, as with
 * kernel VFIO; a client that writes the table itself is obeyed from then on. Eventfds survive a reset of the device and
 * go with the client.
 * <p>
 * Thread rule: any thread.
 */
final class ServedInterrupts {
    private final Object lock = new Object();
    private final Map<InterruptKind, Lines> lines = new EnumMap<>(InterruptKind.class);
    private final @Nullable MsixTable msix;
    private final @Nullable MsixCapability msixCapability;
    private final MsiVectors msi;
    private ConfigSpace config;
    private boolean asserted;
    private boolean pinMasked;
    private long dropped;

    /** Eventfds of one kind: to signal on delivery, on masking, on unmasking. */
    private record Lines(@Nullable EventFd[] trigger, @Nullable EventFd[] masked, @Nullable EventFd[] unmasked) {
        Lines(int vectors) {
            this(new EventFd[vectors], new EventFd[vectors], new EventFd[vectors]);
        }

        @Nullable
        EventFd[] of(int action) {
            return switch (action) {
                case Protocol.ACTION_MASK -> masked;
                case Protocol.ACTION_UNMASK -> unmasked;
                default -> trigger;
            };
        }

        boolean anyTrigger() {
            for (EventFd line : trigger) {
                if (line != null) {
                    return true;
                }
            }
            return false;
        }
    }

    ServedInterrupts(ConfigSpace config) {
        this.config = config;
        msixCapability = MsixCapability.of(config).orElse(null);
        msix = msixCapability == null
                ? null
                : new MsixTable(msixCapability, vector -> fire(InterruptKind.MSIX, vector));
        msi = new MsiVectors(config, Capabilities.of(config).find(Capability.MSI).map(Capability::offset).orElse(0),
                vector -> fire(InterruptKind.MSI, vector));
        int pins = config.read8(0x3d) != 0 ? 1 : 0;
        lines.put(InterruptKind.INTX, new Lines(pins));
        lines.put(InterruptKind.MSI, new Lines(msi.count()));
        lines.put(InterruptKind.MSIX, new Lines(msix == null ? 0 : msix.vectors()));
        lines.put(InterruptKind.ERROR, new Lines(1));
        lines.put(InterruptKind.REQUEST, new Lines(1));
    }

    @Nullable
    MsixTable msix() {
        return msix;
    }

    int count(InterruptKind kind) {
        return lines(kind).trigger.length;
    }

    /** {@code IRQ_*} flags of a kind. */
    static int flags(InterruptKind kind) {
        return switch (kind) {
            case INTX -> Protocol.IRQ_EVENTFD | Protocol.IRQ_MASKABLE | Protocol.IRQ_AUTOMASKED;
            case MSI, MSIX -> Protocol.IRQ_EVENTFD | Protocol.IRQ_MASKABLE;
            case ERROR, REQUEST -> Protocol.IRQ_EVENTFD;
        };
    }

    /** Messages and pin changes that went nowhere. */
    long dropped() {
        synchronized (lock) {
            return dropped;
        }
    }

    /** Does what a client asked for. The descriptors become owned here. */
    void apply(IrqSet set, List<Fd> descriptors) {
        synchronized (lock) {
            if (set.count() == 0) {
                for (int vector = 0; vector < count(set.kind()); vector++) {
                    assign(set.kind(), Protocol.ACTION_TRIGGER, vector, null);
                }
            }
            for (int i = 0; i < set.count(); i++) {
                int vector = set.start() + i;
                if (set.data() == Protocol.DATA_EVENTFD) {
                    assign(set.kind(), set.action(), vector,
                            descriptors.isEmpty() ? null : EventFd.of(descriptors.get(i)));
                } else if (set.selects(i)) {
                    act(set.kind(), set.action(), vector);
                }
            }
        }
    }

    private void assign(InterruptKind kind, int action, int vector, @Nullable EventFd line) {
        @Nullable
        EventFd[] of = lines(kind).of(action);
        EventFd before = of[vector];
        of[vector] = line;
        if (before != null) {
            before.close();
        }
        if (action == Protocol.ACTION_TRIGGER) {
            assigned(kind, vector, line != null);
        }
    }

    private void assigned(InterruptKind kind, int vector, boolean present) {
        if (kind == InterruptKind.MSIX && msix != null) {
            control();
            msix.setMasked(vector, !present);
        } else if (kind == InterruptKind.MSI && present) {
            msi.enable();
        } else if (kind == InterruptKind.INTX) {
            pinMasked = false;
            assertPin();
        }
    }

    private void act(InterruptKind kind, int action, int vector) {
        if (action == Protocol.ACTION_TRIGGER) {
            fire(kind, vector);
            return;
        }
        boolean masked = action == Protocol.ACTION_MASK;
        switch (kind) {
            case MSIX -> {
                if (msix != null) {
                    msix.setMasked(vector, masked);
                }
            }
            case MSI -> msi.setMasked(vector, masked);
            default -> {
                pinMasked = masked;
                assertPin();
            }
        }
        signal(lines(kind).of(action)[vector]);
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
    }

    /** The model drives its pin; a delivery masks the pin until the client unmasks it. */
    void setPin(boolean level) {
        synchronized (lock) {
            asserted = level;
            assertPin();
        }
    }

    private void assertPin() {
        if (asserted && !pinMasked && count(InterruptKind.INTX) > 0) {
            pinMasked = true;
            fire(InterruptKind.INTX, 0);
        }
    }

    /** The client wrote config space: enables and masks may have changed. */
    void configChanged() {
        synchronized (lock) {
            control();
            msi.deliverPending();
        }
    }

    private void control() {
        if (msix != null && msixCapability != null) {
            msix.setControl(msixCapability.enabled(config) || lines(InterruptKind.MSIX).anyTrigger(),
                    msixCapability.functionMasked(config));
        }
    }

    long readTable(MsixTable table, int bar, long offset, int widthBytes) {
        synchronized (lock) {
            return table.read(bar, offset, widthBytes);
        }
    }

    void writeTable(MsixTable table, int bar, long offset, int widthBytes, long value) {
        synchronized (lock) {
            table.write(bar, offset, widthBytes, value);
        }
    }

    /** After a reset nothing is masked by the device or pending. */
    void reset(ConfigSpace fresh) {
        synchronized (lock) {
            config = fresh;
            msi.reset(fresh);
            asserted = false;
            pinMasked = false;
            if (msix != null) {
                msix.reset();
                @Nullable
                EventFd[] triggers = lines(InterruptKind.MSIX).trigger;
                for (int vector = 0; vector < triggers.length; vector++) {
                    if (triggers[vector] != null) {
                        msix.setMasked(vector, false);
                    }
                }
                control();
            }
            if (lines(InterruptKind.MSI).anyTrigger()) {
                msi.enable();
            }
        }
    }

    /** The client is gone: its eventfds are closed. */
    void release() {
        synchronized (lock) {
            for (InterruptKind kind : InterruptKind.values()) {
                for (int action : new int[] { Protocol.ACTION_TRIGGER, Protocol.ACTION_MASK,
                        Protocol.ACTION_UNMASK }) {
                    for (int vector = 0; vector < count(kind); vector++) {
                        assign(kind, action, vector, null);
                    }
                }
            }
        }
    }

    private void fire(InterruptKind kind, int vector) {
        if (!signal(lines(kind).trigger[vector])) {
            dropped++;
        }
    }

    private static boolean signal(@Nullable EventFd line) {
        if (line == null) {
            return false;
        }
        line.signal(); // one that is full has been signalled already
        return true;
    }

    private Lines lines(InterruptKind kind) {
        return java.util.Objects.requireNonNull(lines.get(kind));
    }
}
