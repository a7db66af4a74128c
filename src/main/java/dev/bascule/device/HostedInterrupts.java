package dev.bascule.device;

import dev.bascule.pci.Capabilities;
import dev.bascule.pci.Capability;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.MsixCapability;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts of a device whose model runs in this process: pin, MSI and MSI-X with table, masks and pending bits, and
 * who takes each vector. A raise of a vector that nobody takes is dropped and counted.
 * <p>
 * Thread rule: any thread. The object is its own lock; who does several things as one synchronizes on it. Takers are
 * called under that lock, in the order of the raises, and must not wait.
 *
 * @param <T> what takes a vector's deliveries
 */
public final class HostedInterrupts<T> {
    private final Map<InterruptKind, Map<Integer, T>> takers = new EnumMap<>(InterruptKind.class);
    private final boolean byConfig;
    private final Consumer<T> deliver;
    private final @Nullable MsixTable msix;
    private final @Nullable MsixCapability msixCapability;
    private final MsiVectors msi;
    private final boolean pin;
    private ConfigSpace config;
    private boolean asserted;
    private boolean pinMasked;
    private long dropped;

    /**
     * Interrupts as after power-on, without takers.
     *
     * @param byConfig whether config space alone says what is enabled: a taker writes its capability's enable bit, and
     *        the last one of MSI clears it. Else MSI-X is enabled as long as a vector has a taker, as with kernel VFIO
     * @param deliver gives a taker one delivery; under the lock
     */
    public HostedInterrupts(ConfigSpace config, boolean byConfig, Consumer<T> deliver) {
        this.config = config;
        this.byConfig = byConfig;
        this.deliver = deliver;
        msixCapability = MsixCapability.of(config).orElse(null);
        msix = msixCapability == null
                ? null
                : new MsixTable(msixCapability, vector -> fire(InterruptKind.MSIX, vector));
        msi = new MsiVectors(config, Capabilities.of(config).find(Capability.MSI).map(Capability::offset).orElse(0),
                vector -> fire(InterruptKind.MSI, vector));
        pin = config.read8(0x3d) != 0;
        for (InterruptKind kind : InterruptKind.values()) {
            takers.put(kind, new HashMap<>());
        }
    }

    /** Vectors of a kind; 0 where the device has none. */
    public int count(InterruptKind kind) {
        return switch (kind) {
            case INTX -> pin ? 1 : 0;
            case MSI -> msi.count();
            case MSIX -> msix == null ? 0 : msix.vectors();
            case ERROR, REQUEST -> 1;
        };
    }

    /** Raises that went nowhere: not enabled, no such vector, or nobody takes it. */
    public synchronized long dropped() {
        return dropped;
    }

    /** Taker of a vector; null for none. */
    public synchronized @Nullable T taker(InterruptKind kind, int vector) {
        return of(kind).get(vector);
    }

    /** Takers of all vectors, in no order. */
    public synchronized List<T> takers() {
        List<T> all = new ArrayList<>();
        takers.values().forEach(vectors -> all.addAll(vectors.values()));
        return all;
    }

    /** Gives a vector below {@link #count} a taker, or null for none: it is unmasked, or masked. Returns the former. */
    public synchronized @Nullable T connect(InterruptKind kind, int vector, @Nullable T taker) {
        Map<Integer, T> vectors = of(kind);
        T before = taker == null ? vectors.remove(vector) : vectors.put(vector, taker);
        if (kind == InterruptKind.MSIX && msix != null && msixCapability != null) {
            if (byConfig && taker != null) {
                int at = msixCapability.offset() + 2;
                config.write(at, 2, config.read16(at) | 0x8000);
            }
            control();
            msix.setMasked(vector, taker == null);
        } else if (kind == InterruptKind.MSI && taker != null) {
            msi.enable();
        } else if (kind == InterruptKind.MSI && byConfig && vectors.isEmpty()) {
            msi.disable(); // as the kernel does, so that the pin works again
        } else if (kind == InterruptKind.INTX && (taker != null || !byConfig)) {
            setMasked(kind, vector, false);
        }
        return before;
    }

    /** Masks or unmasks a vector of the pin, MSI or MSI-X; what is pending is delivered now. */
    public synchronized void setMasked(InterruptKind kind, int vector, boolean masked) {
        switch (kind) {
            case MSIX -> {
                if (msix != null) {
                    msix.setMasked(vector, masked);
                }
            }
            case MSI -> msi.setMasked(vector, masked);
            case INTX -> {
                pinMasked = masked;
                assertPin();
            }
            case ERROR, REQUEST -> {
            }
        }
    }

    /** Whether a raise of the vector is held back by a mask. */
    public synchronized boolean pending(InterruptKind kind, int vector) {
        return switch (kind) {
            case MSIX -> msix != null && msix.pending(vector);
            case MSI -> msi.pending(vector);
            case INTX -> asserted && pinMasked;
            case ERROR, REQUEST -> false;
        };
    }

    /** Sends a message interrupt of the model, by MSI-X or MSI, whichever is enabled. */
    public synchronized void raise(int vector) {
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

    /** Drives the pin of the model. A delivery masks the pin until it is unmasked, as VFIO does. */
    public synchronized void setPin(boolean level) {
        asserted = level;
        assertPin();
    }

    private void assertPin() {
        if (asserted && !pinMasked) {
            pinMasked = true;
            fire(InterruptKind.INTX, 0);
        }
    }

    /** Delivers a vector whatever its mask: an error, a removal, or a test of the whole way. */
    public synchronized void fire(InterruptKind kind, int vector) {
        T taker = of(kind).get(vector);
        if (taker == null) {
            dropped++;
        } else {
            deliver.accept(taker);
        }
    }

    /** Reads config space anew after a write to it: enables and masks may have changed. */
    public synchronized void configChanged() {
        control();
        msi.deliverPending();
    }

    private void control() {
        if (msix != null && msixCapability != null) {
            msix.setControl(msixCapability.enabled(config) || !byConfig && !of(InterruptKind.MSIX).isEmpty(),
                    msixCapability.functionMasked(config));
        }
    }

    /** Whether an access at this place of a BAR belongs to the MSI-X table or the pending bits. */
    public boolean covers(int bar, long offset) {
        return msix != null && msix.covers(bar, offset);
    }

    /** Reads 1, 2, 4 or 8 bytes of table or pending bits, at a place that they cover. */
    public synchronized long readTable(int bar, long offset, int widthBytes) {
        return Objects.requireNonNull(msix).read(bar, offset, widthBytes);
    }

    /** Writes 4 or 8 bytes of the table, at a place that it covers; other writes are ignored. */
    public synchronized void writeTable(int bar, long offset, int widthBytes, long value) {
        Objects.requireNonNull(msix).write(bar, offset, widthBytes, value);
    }

    /** Resets the device: nothing is masked or pending any more. Takers stay, and with them what they enable. */
    public synchronized void reset(ConfigSpace fresh) {
        config = fresh;
        msi.reset(fresh);
        asserted = false;
        pinMasked = false;
        if (msix != null) {
            msix.reset();
            of(InterruptKind.MSIX).keySet().forEach(vector -> setMasked(InterruptKind.MSIX, vector, false));
            control();
        }
        if (!of(InterruptKind.MSI).isEmpty()) {
            msi.enable();
        }
    }

    private Map<Integer, T> of(InterruptKind kind) {
        return Objects.requireNonNull(takers.get(kind));
    }
}
