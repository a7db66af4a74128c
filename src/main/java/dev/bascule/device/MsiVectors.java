package dev.bascule.device;

import dev.bascule.pci.ConfigSpace;
import java.util.function.IntConsumer;

/**
 * The MSI capability of a hosted model; all its state is in config space. Not thread-safe; the host of the model locks.
 */
final class MsiVectors {
    private static final int CONTROL = 2;
    private static final int MASK = 16;
    private static final int PENDING = 20;

    private final int offset;
    private final IntConsumer deliver;
    private ConfigSpace config;

    /**
     * The vectors of a config space.
     *
     * @param offset where the capability starts, 0 for none
     * @param deliver receives the vector of each message sent
     */
    MsiVectors(ConfigSpace config, int offset, IntConsumer deliver) {
        this.config = config;
        this.offset = offset;
        this.deliver = deliver;
    }

    /** Continues on a new config space, after a reset. */
    void reset(ConfigSpace fresh) {
        config = fresh;
    }

    /** Vectors the device has, 0 without the capability. */
    int count() {
        return offset == 0 ? 0 : 1 << (config.read16(offset + CONTROL) >> 1 & 7);
    }

    /** Enables all vectors the device has. */
    void enable() {
        int control = config.read16(offset + CONTROL);
        config.write(offset + CONTROL, 2, control & ~0x70 | (control << 3 & 0x70) | 1);
    }

    /** Disables the messages, as when the last vector is closed. */
    void disable() {
        if (offset != 0) {
            config.write(offset + CONTROL, 2, config.read16(offset + CONTROL) & ~1);
        }
    }

    /** Sends the message of a vector; returns whether it was delivered. */
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

    /** Masks or unmasks a vector; a pending message is delivered now. */
    void setMasked(int vector, boolean masked) {
        int mask = config.read32(offset + MASK);
        config.write(offset + MASK, 4, mask & ~(1 << vector) | (masked ? 1 << vector : 0));
        deliverPending();
    }

    /** Whether a message of the vector is held back. */
    boolean pending(int vector) {
        return (config.read32(offset + PENDING) >> vector & 1) != 0;
    }

    /** Delivers what is pending and no longer masked, after a write to config space. */
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
