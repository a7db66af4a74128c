package dev.bascule.loopback;

import dev.bascule.pci.ConfigSpace;
import java.util.function.IntConsumer;

/** The MSI capability at work: all its state is in config space. Not thread-safe; the device locks. */
final class MsiVectors {
    private static final int CONTROL = 2;
    private static final int MASK = 16;
    private static final int PENDING = 20;

    private final int offset;
    private final IntConsumer deliver;
    private ConfigSpace config;

    /** @param offset where the capability starts, 0 for none */
    MsiVectors(ConfigSpace config, int offset, IntConsumer deliver) {
        this.config = config;
        this.offset = offset;
        this.deliver = deliver;
    }

    void reset(ConfigSpace fresh) {
        config = fresh;
    }

    int count() {
        return offset == 0 ? 0 : 1 << (config.read16(offset + CONTROL) >> 1 & 7);
    }

    /** Enables all vectors the device has. */
    void enable() {
        int control = config.read16(offset + CONTROL);
        config.write(offset + CONTROL, 2, control & ~0x70 | (control << 3 & 0x70) | 1);
    }

    /** Whether the raise went anywhere. */
    boolean raise(int vector) {
        if (offset == 0) {
            return false;
        }
        int control = config.read16(offset + CONTROL);
        if ((control & 1) == 0 || vector < 0 || vector >= 1 << (control >> 4 & 7)) {
            return false;
        }
        if ((config.read32(offset + MASK) >> vector & 1) != 0) {
            config.set(offset + PENDING, 4, config.read32(offset + PENDING) | 1L << vector);
        } else {
            deliver.accept(vector);
        }
        return true;
    }

    void setMasked(int vector, boolean masked) {
        int mask = config.read32(offset + MASK);
        config.write(offset + MASK, 4, mask & ~(1 << vector) | (masked ? 1 << vector : 0));
        deliverPending();
    }

    boolean pending(int vector) {
        return (config.read32(offset + PENDING) >> vector & 1) != 0;
    }

    void deliverPending() {
        if (offset == 0) {
            return;
        }
        int pending = config.read32(offset + PENDING);
        int ready = pending & ~config.read32(offset + MASK);
        config.set(offset + PENDING, 4, pending & ~ready);
        for (int vector = 0; vector < 32; vector++) {
            if ((ready >> vector & 1) != 0) {
                deliver.accept(vector);
            }
        }
    }
}
